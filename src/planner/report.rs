//! How well the ranker does: by sixfold cross-validation over the examples, and on what people
//! typed who were not asked for examples (`heldout.tsv`). `cargo test planner::report -- --nocapture`
//! prints the figures.

use super::examples::{Class, Taught, taught};
use super::features::{mask, words};
use super::ranker::Ranker;
use crate::domain::text::fold;

/// `tool|other tool` or `-group`, and the words.
fn heldout() -> Vec<(Vec<String>, Vec<String>)> {
    let read = |line: &str| {
        let (wanted, text) = line.split_once('\t').unwrap();
        let mut text = text.to_owned();
        for (place, mask) in [
            ("{site}", mask::SITE),
            ("{task}", mask::TASK),
            ("{zone}", mask::ZONE),
            ("{place}", mask::PLACE),
            ("{person}", mask::PERSON),
            ("{date}", mask::DATE),
            ("{crew}", mask::CREW),
            ("{alarm}", mask::ALARM),
            ("{record}", mask::RECORD),
            ("{n}", mask::NUMBER),
        ] {
            text = text.replace(place, mask);
        }
        (wanted.split('|').map(str::to_owned).collect(), words(&fold(&text)))
    };
    include_str!("heldout.tsv").lines().map(read).collect()
}

fn name(class: &Class) -> String {
    match class {
        Class::Tool(tool) => tool.clone(),
        Class::Later { name, .. } => format!("-{name}"),
        Class::Off => "-off".to_owned(),
    }
}

#[derive(Default)]
struct Figures {
    asked: u32,
    first: u32,
    third: u32,
    off: u32,
    scores: Vec<(f32, f32, bool, bool)>, // best tool's score, margin, right, is off
    wrong: Vec<String>,
}

impl Figures {
    fn take(&mut self, ranker: &Ranker, wanted: &[String], words: &[String]) {
        let ranking = ranker.rank(words);
        let names: Vec<String> = ranking.classes.iter().take(3).map(|r| name(r.class)).collect();
        let right = wanted.contains(&names[0]);
        let off = wanted[0] == "-off";
        let margin = ranking.classes[0].score - ranking.classes[1].score;
        let acting = if names[0].starts_with('-') {
            0.0
        } else {
            ranking.classes[0].score
        };
        self.scores.push((acting, margin, right, off));
        if off {
            self.off += 1;
            return;
        }
        self.asked += 1;
        self.first += u32::from(right);
        self.third += u32::from(names.iter().any(|n| wanted.contains(n)));
        if !right {
            let scores: Vec<String> = ranking
                .classes
                .iter()
                .take(3)
                .map(|r| format!("{} {:.2}", name(r.class), r.score))
                .collect();
            self.wrong
                .push(format!("{} ⇒ {wanted:?} but {scores:?}", words.join(" ")));
        }
    }

    fn print(&self, title: &str) {
        let share = |n: u32, of: u32| 100.0 * n as f32 / of.max(1) as f32;
        println!(
            "{title}: {} asked, first {:.1} %, among three {:.1} %",
            self.asked,
            share(self.first, self.asked),
            share(self.third, self.asked)
        );
        for (least, gap) in [
            (0.7, 0.1),
            (0.8, 0.1),
            (0.8, 0.2),
            (0.9, 0.1),
            (0.9, 0.2),
            (0.98, 0.2),
            (1.07, 0.2),
        ] {
            let acts = |off: bool| {
                self.scores
                    .iter()
                    .filter(move |s| s.3 == off && s.0 >= least && s.1 >= gap)
            };
            let acted = acts(false).count() as u32;
            let right = acts(false).filter(|s| s.2).count() as u32;
            println!(
                "  act from {least:.2} by {gap:.1}: acts on {:.1} %, right {:.1} %, off-topic acted on {:.1} %",
                share(acted, self.asked),
                share(right, acted),
                share(acts(true).count() as u32, self.off),
            );
        }
    }
}

#[test]
fn the_ranker_is_right_nine_times_in_ten() {
    let all = taught().unwrap();
    let mut crossed = Figures::default();
    const FOLDS: usize = 6;
    for fold in 0..FOLDS {
        let kept = |keep: bool| -> Vec<Taught> {
            all.iter()
                .map(|t| Taught {
                    class: t.class.clone(),
                    examples: t
                        .examples
                        .iter()
                        .enumerate()
                        .filter(|(i, _)| (i % FOLDS == fold) != keep)
                        .map(|(_, e)| e.clone())
                        .collect(),
                })
                .collect()
        };
        let ranker = Ranker::train(&kept(true));
        for taught in kept(false) {
            for example in &taught.examples {
                crossed.take(&ranker, &[name(&taught.class)], example);
            }
        }
    }
    crossed.print("cross-validation");

    let started = std::time::Instant::now();
    let ranker = Ranker::train(&all);
    println!("trained in {:?}", started.elapsed());
    let mut held = Figures::default();
    for (wanted, words) in heldout() {
        held.take(&ranker, &wanted, &words);
    }
    held.print("held out");
    for wrong in crossed
        .wrong
        .iter()
        .take(if std::env::var_os("RANKER_WRONG").is_some() {
            999
        } else {
            0
        })
    {
        println!("  cv {wrong}");
    }
    for wrong in &held.wrong {
        println!("  {wrong}");
    }
    assert!(
        held.first as f32 > 0.9 * held.asked as f32,
        "{} of {}",
        held.first,
        held.asked
    );
}
