//! Which tool does a text ask for? The nearest example and a linear model, added up.
//!
//! Both see the same features (`features`), weighted by rarity. The linear model is trained at
//! start, always in the same order, in a few milliseconds; the nearest example keeps it honest
//! where it has seen little. What counts in the end is
//! `(probability + similarity) · (½ + ½ · share of known words)`, at most 2.

use std::collections::HashMap;

use super::examples::{Class, Taught};
use super::features::{Group, features, mask};
use super::lexicon::{is_common, lexicon};
use super::spelling::Spelling;

/// How much each group of features weighs.
const WEIGHTS: [(Group, f32); 3] = [(Group::Letters, 1.0), (Group::Words, 0.8), (Group::Concepts, 1.1)];
/// Rounds over the examples.
const EPOCHS: usize = 8;
/// Step of the first update; later ones shrink by what each weight has seen (AdaGrad).
const STEP: f32 = 0.6;
/// A smaller error of a class's chance is left as it is.
const GAP_MIN: f32 = 0.004;
/// Pull of every touched weight towards zero.
const DECAY: f32 = 1e-4;

/// A sparse vector: feature numbers with weights, length 1.
type Vector = Vec<(u32, f32)>;

/// A class with how well it fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked<'a> {
    /// What is asked for.
    pub class: &'a Class,
    /// 0 to 2.
    pub score: f32,
}

/// The ranking of one text.
#[derive(Debug, Clone)]
pub struct Ranking<'a> {
    /// Every class, best first.
    pub classes: Vec<Ranked<'a>>,
    /// Share of the words that mean something here, 0 to 1.
    pub known: f32,
}

/// The trained ranker.
pub struct Ranker {
    classes: Vec<Class>,
    /// Feature hash to number.
    numbers: HashMap<u64, u32>,
    /// Rarity by feature number.
    rarity: Vec<f32>,
    /// The rarity of what was never seen.
    unseen: f32,
    /// By feature: the examples that hold it, with their weight.
    postings: Vec<Vec<(u32, f32)>>,
    /// The class of each example.
    class_of: Vec<u16>,
    /// Linear weights, feature-major.
    weights: Vec<f32>,
    bias: Vec<f32>,
    spelling: Spelling,
}

impl Ranker {
    /// Learns the examples.
    pub fn train(taught: &[Taught]) -> Self {
        let samples: Vec<(u16, Vec<(Group, u64)>)> = (0_u16..)
            .zip(taught)
            .flat_map(|(class, taught)| taught.examples.iter().map(move |words| (class, features(words))))
            .collect();
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        let mut seen_in: Vec<(usize, f32)> = Vec::new(); // last sample, count of samples
        for (sample, (_, found)) in samples.iter().enumerate() {
            for (_, feature) in found {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                let number = *numbers.entry(*feature).or_insert(next);
                match seen_in.get_mut(number as usize) {
                    None => seen_in.push((sample, 1.0)),
                    Some((last, _)) if *last == sample => {}
                    Some((last, count)) => {
                        *last = sample;
                        *count += 1.0;
                    }
                }
            }
        }
        let total = samples.len() as f32;
        let mut ranker = Self {
            classes: taught.iter().map(|t| t.class.clone()).collect(),
            unseen: (1.0 + total).ln() + 1.0,
            rarity: seen_in
                .iter()
                .map(|(_, count)| ((1.0 + total) / (1.0 + count)).ln() + 1.0)
                .collect(),
            postings: vec![Vec::new(); seen_in.len()],
            class_of: samples.iter().map(|(class, _)| *class).collect(),
            weights: vec![0.0; seen_in.len() * taught.len()],
            bias: vec![0.0; taught.len()],
            spelling: Spelling::learn(
                taught
                    .iter()
                    .filter(|t| t.class != Class::Off)
                    .flat_map(|t| &t.examples)
                    .flatten(),
            ),
            numbers,
        };
        let vectors: Vec<Vector> = samples.iter().map(|(_, found)| ranker.vector(found)).collect();
        for (example, vector) in (0_u32..).zip(&vectors) {
            for (number, weight) in vector {
                if let Some(list) = ranker.postings.get_mut(*number as usize) {
                    list.push((example, *weight));
                }
            }
        }
        ranker.descend(&vectors, taught);
        ranker
    }

    /// Multinomial logistic regression by AdaGrad, in an order that is mixed but always the same.
    fn descend(&mut self, vectors: &[Vector], taught: &[Taught]) {
        let classes = self.classes.len();
        // A class with many examples must not win by their number alone.
        let mean = vectors.len() as f32 / classes.max(1) as f32;
        let balance: Vec<f32> = taught
            .iter()
            .map(|t| (mean / t.examples.len().max(1) as f32).sqrt())
            .collect();
        let mut squares = vec![1e-6_f32; self.weights.len()];
        let mut order: Vec<usize> = (0..vectors.len()).collect();
        let mut random = fastrand::Rng::with_seed(0x5EED);
        let mut gaps = vec![0.0_f32; classes];
        for _ in 0..EPOCHS {
            random.shuffle(&mut order);
            for sample in &order {
                let (Some(vector), Some(class)) = (vectors.get(*sample), self.class_of.get(*sample)) else {
                    continue;
                };
                self.logits(vector, &mut gaps);
                softmax(&mut gaps);
                let scale = balance.get(usize::from(*class)).copied().unwrap_or(1.0);
                for (index, gap) in gaps.iter_mut().enumerate() {
                    *gap -= if index == usize::from(*class) { 1.0 } else { 0.0 };
                    *gap *= scale;
                }
                for (bias, gap) in self.bias.iter_mut().zip(&gaps) {
                    *bias -= 0.05 * gap;
                }
                // Most classes are out of the question for most examples: only the others learn.
                let learning: Vec<(usize, f32)> = gaps
                    .iter()
                    .copied()
                    .enumerate()
                    .filter(|(_, gap)| gap.abs() > GAP_MIN)
                    .collect();
                for (number, value) in vector {
                    let row = *number as usize * classes..(*number as usize + 1) * classes;
                    let (Some(weights), Some(squares)) = (self.weights.get_mut(row.clone()), squares.get_mut(row))
                    else {
                        continue;
                    };
                    for (class, gap) in &learning {
                        let (Some(weight), Some(square)) = (weights.get_mut(*class), squares.get_mut(*class)) else {
                            continue;
                        };
                        let slope = gap * value + DECAY * *weight;
                        *square += slope * slope;
                        *weight -= STEP * slope / square.sqrt();
                    }
                }
            }
        }
    }

    fn logits(&self, vector: &Vector, out: &mut [f32]) {
        let classes = out.len();
        for (slot, bias) in out.iter_mut().zip(&self.bias) {
            *slot = *bias;
        }
        for (number, value) in vector {
            let row = *number as usize * classes..(*number as usize + 1) * classes;
            for (slot, weight) in out.iter_mut().zip(self.weights.get(row).into_iter().flatten()) {
                *slot += weight * value;
            }
        }
    }

    /// The known features of a text as a vector of length 1, each group normalised on its own.
    /// What was never seen counts for the length, so that a strange text is near to nothing.
    fn vector(&self, found: &[(Group, u64)]) -> Vector {
        let mut vector: Vector = Vec::with_capacity(found.len());
        let mut total = 0.0;
        for (group, group_weight) in WEIGHTS {
            let begin = vector.len();
            let mut length = 0.0;
            let mut hashes: Vec<u64> = found
                .iter()
                .filter(|(g, _)| *g == group)
                .map(|(_, hash)| *hash)
                .collect();
            hashes.sort_unstable();
            for same in hashes.chunk_by(|a, b| a == b) {
                let times = 1.0 + (same.len() as f32).ln();
                match same.first().and_then(|hash| self.numbers.get(hash)) {
                    Some(number) => {
                        let value = times * self.rarity.get(*number as usize).copied().unwrap_or(1.0);
                        length += value * value;
                        vector.push((*number, value));
                    }
                    None => length += (times * self.unseen).powi(2) * 0.5,
                }
            }
            if length > 0.0 {
                let scale = group_weight / length.sqrt();
                vector.iter_mut().skip(begin).for_each(|(_, value)| *value *= scale);
                total += group_weight * group_weight;
            }
        }
        if total > 0.0 {
            let scale = 1.0 / total.sqrt();
            vector.iter_mut().for_each(|(_, value)| *value *= scale);
        }
        vector.sort_unstable_by_key(|(number, _)| *number);
        vector
    }

    /// The words with their typing errors mended, where a known word is near.
    pub fn mended(&self, words: &[String]) -> Vec<String> {
        words
            .iter()
            .map(|word| self.spelling.mend(word).unwrap_or(word).to_owned())
            .collect()
    }

    /// Is this a word of the trade's own?
    pub fn knows(&self, word: &str) -> bool {
        self.spelling.knows(word) || lexicon().concepts_of(word).next().is_some()
    }

    /// Ranks every class for the words of a text (entities masked).
    pub fn rank(&self, words: &[String]) -> Ranking<'_> {
        let words = self.mended(words);
        let vector = self.vector(&features(&words));
        let mut chance = vec![0.0; self.classes.len()];
        self.logits(&vector, &mut chance);
        softmax(&mut chance);
        let mut likeness = vec![0.0_f32; self.class_of.len()];
        for (number, value) in &vector {
            for (example, weight) in self.postings.get(*number as usize).into_iter().flatten() {
                if let Some(sum) = likeness.get_mut(*example as usize) {
                    *sum += weight * value;
                }
            }
        }
        let mut nearest = vec![0.0_f32; self.classes.len()];
        for (sum, class) in likeness.iter().zip(&self.class_of) {
            if let Some(best) = nearest.get_mut(usize::from(*class)) {
                *best = best.max(*sum);
            }
        }
        let known = self.known(&words);
        let mut classes: Vec<Ranked<'_>> = self
            .classes
            .iter()
            .zip(chance.iter().zip(&nearest))
            .map(|(class, (chance, near))| Ranked {
                class,
                score: (chance + near) * (0.5 + 0.5 * known),
            })
            .collect();
        classes.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ranking { classes, known }
    }

    /// The share of meaningful words that the tools' examples or the lexicon know.
    fn known(&self, words: &[String]) -> f32 {
        let (mut known, mut all) = (0.0, 0.0);
        for word in words.iter().filter(|word| !is_common(word)) {
            all += 1.0;
            let entity = mask::ENTITIES.contains(&word.as_str()) || word == mask::NUMBER;
            let meant = lexicon().concepts_of(word).any(|concept| concept != "off");
            if entity || meant || self.spelling.knows(word) {
                known += 1.0;
            }
        }
        if all == 0.0 { 1.0 } else { known / all }
    }
}

fn softmax(values: &mut [f32]) {
    let top = values.iter().copied().fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for value in values.iter_mut() {
        *value = (*value - top).exp();
        sum += *value;
    }
    values.iter_mut().for_each(|value| *value /= sum);
}
