//! How well the planner chooses: by sixfold cross-validation over the examples, and on what
//! people typed who were not asked for examples (`heldout.tsv`).
//!
//! `cargo test --lib engine::tests::report -- --nocapture` prints the figures; with `PLANNER_WRONG=1` also
//! every wrong choice.

use crate::domain::text::fold;
use crate::guardrails::Verdict;
use crate::guardrails::scope::{Evidence, judge};
use crate::planner::examples::{Class, Taught, taught};
use crate::planner::features::{mask, words};
use crate::planner::ranker::Ranker;
use crate::planner::slots::{Candidate, Masks, Needs, Wish, candidates};
use crate::tools;

/// How the examples are cut for cross-validation.
const FOLDS: usize = 6;

/// `tool|other tool` or `-group`, and the words.
fn heldout() -> Vec<(Vec<String>, Vec<String>)> {
    let read = |line: &str| {
        let (wanted, text) = line.split_once('\t').unwrap();
        let mut text = text.to_owned();
        for (place, mask) in mask::PLACES {
            text = text.replace(place, mask);
        }
        (wanted.split('|').map(str::to_owned).collect(), words(&fold(&text)))
    };
    include_str!("heldout.tsv").lines().map(read).collect()
}

fn of_class(class: &Class) -> String {
    match class {
        Class::Tool(tool) => tool.clone(),
        Class::Later { name, .. } => format!("-{name}"),
        Class::Off => "-off".to_owned(),
    }
}

fn of_wish(candidate: &Candidate<'_>) -> String {
    match candidate.wish {
        Wish::Tool(tool) => tool.to_owned(),
        Wish::Later { name, .. } => format!("-{name}"),
        Wish::Off => "-off".to_owned(),
    }
}

/// Of the questions with an answer: placed first, among three, acted on and right; of the rest:
/// acted on.
#[derive(Default)]
struct Figures {
    asked: u32,
    first: u32,
    third: u32,
    acted: u32,
    acted_right: u32,
    off: u32,
    off_acted: u32,
    change: u32,
    change_acted: u32,
    wrong: Vec<String>,
}

impl Figures {
    fn take(&mut self, ranker: &Ranker, needs: &[Needs], wanted: &[String], words: &[String]) {
        let masks = Masks::of(words);
        let ranking = ranker.rank(words);
        let found = candidates(&ranking, needs, &masks);
        let names: Vec<String> = found.iter().take(3).map(of_wish).collect();
        let right = wanted.contains(&names[0]);
        let verdict = judge(Evidence {
            best: found[0].score,
            margin: found[0].score - found[1].score,
            known: ranking.known,
            names_record: masks.names_record(),
            off: found[0].wish == Wish::Off,
        });
        let acts = verdict == Verdict::Allow && !names[0].starts_with('-');
        match wanted[0].as_str() {
            "-off" => {
                self.off += 1;
                self.off_acted += u32::from(acts);
            }
            group if group.starts_with('-') => {
                self.change += 1;
                self.change_acted += u32::from(acts);
            }
            _ => {
                self.asked += 1;
                self.first += u32::from(right);
                self.third += u32::from(names.iter().any(|name| wanted.contains(name)));
                self.acted += u32::from(acts);
                self.acted_right += u32::from(acts && right);
            }
        }
        if !right || (acts && wanted[0].starts_with('-')) {
            let scores: Vec<String> = found
                .iter()
                .take(3)
                .map(|c| format!("{} {:.2}", of_wish(c), c.score))
                .collect();
            self.wrong.push(format!(
                "{} {} ⇒ {wanted:?} but {scores:?}",
                if acts { "ACTS" } else { "    " },
                words.join(" ")
            ));
        }
    }

    fn print(&self, title: &str) {
        let share = |n: u32, of: u32| 100.0 * f64::from(n) / f64::from(of.max(1));
        println!(
            "{title}: {} questions, first {:.1} %, among three {:.1} %; acts on {:.1} %, right {:.1} % of them; \
             acts on {:.1} % of {} off-topic and {:.1} % of {} wishes no tool grants",
            self.asked,
            share(self.first, self.asked),
            share(self.third, self.asked),
            share(self.acted, self.asked),
            share(self.acted_right, self.acted),
            share(self.off_acted, self.off),
            self.off,
            share(self.change_acted, self.change),
            self.change,
        );
        if std::env::var_os("PLANNER_WRONG").is_some() {
            self.wrong.iter().for_each(|wrong| println!("  {wrong}"));
        }
    }
}

#[test]
fn the_planner_is_right_nine_times_in_ten_and_leaves_other_talk_alone() {
    let all = taught().unwrap();
    let needs: Vec<Needs> = tools::specs().iter().map(Needs::of).collect();
    let mut crossed = Figures::default();
    for fold in 0..FOLDS {
        let part = |held: bool| -> Vec<Taught> {
            let kept = |at: usize| (at % FOLDS == fold) == held;
            let of = |t: &Taught| Taught {
                class: t.class.clone(),
                examples: t
                    .examples
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| kept(*at))
                    .map(|(_, e)| e.clone())
                    .collect(),
            };
            all.iter().map(of).collect()
        };
        let ranker = Ranker::train(&part(false));
        for taught in part(true) {
            for example in &taught.examples {
                crossed.take(&ranker, &needs, &[of_class(&taught.class)], example);
            }
        }
    }
    crossed.print("cross-validation");

    let started = std::time::Instant::now();
    let ranker = Ranker::train(&all);
    println!("trained in {:?}", started.elapsed());
    let mut held = Figures::default();
    for (wanted, words) in heldout() {
        held.take(&ranker, &needs, &wanted, &words);
    }
    held.print("held out");
    assert!(
        f64::from(held.first) > 0.9 * f64::from(held.asked),
        "{} of {}",
        held.first,
        held.asked
    );
    assert!(
        f64::from(held.acted_right) > 0.95 * f64::from(held.acted),
        "{} of {}",
        held.acted_right,
        held.acted
    );
    assert!(
        f64::from(held.off_acted) < 0.05 * f64::from(held.off),
        "{} of {}",
        held.off_acted,
        held.off
    );
}
