//! A row per class.

use crate::corpus::Query;
use crate::measure::median;

/// A query measured on both sides, in microseconds.
pub struct Run {
    pub text: String,
    pub ours: f64,
    pub theirs: f64,
    pub total: Option<u64>,
    pub agrees: bool,
}

pub struct Report {
    each_query: bool,
    /// Class, and the ratios of medians and of means.
    ratios: Vec<(String, f64, f64)>,
    /// Class and the median of ours.
    ours: Vec<(String, f64)>,
    disagreements: usize,
}

impl Report {
    pub fn new(each_query: bool) -> Self {
        println!(
            "\n| class | hits | pith µs p50 | mean | tantivy µs p50 | mean | ratio of p50 | of means | same answer |"
        );
        println!("| --- | --: | --: | --: | --: | --: | --: | --: | --- |");
        Self { each_query, ratios: vec![], ours: vec![], disagreements: 0 }
    }

    pub fn class(&mut self, query: &Query, runs: Vec<Run>) {
        let of = |side: fn(&Run) -> f64| {
            let times: Vec<f64> = runs.iter().map(side).collect();
            (times.iter().sum::<f64>() / times.len() as f64, median(times))
        };
        let ((mean, p50), (their_mean, their_p50)) = (of(|run| run.ours), of(|run| run.theirs));
        let totals: Vec<f64> = runs.iter().filter_map(|run| run.total).map(|total| total as f64).collect();
        let hits = if totals.is_empty() { String::new() } else { format!("{:.0}", median(totals)) };
        let agreeing = runs.iter().filter(|run| run.agrees).count();
        self.disagreements += runs.len() - agreeing;
        let same = if agreeing == runs.len() { "yes".to_owned() } else { format!("{agreeing} of {}", runs.len()) };
        println!(
            "| {} | {hits} | {p50:.1} | {mean:.1} | {their_p50:.1} | {their_mean:.1} | {:.2} | {:.2} | {same} |",
            query.class,
            their_p50 / p50,
            their_mean / mean,
        );
        self.ratios.push((query.class.clone(), their_p50 / p50, their_mean / mean));
        self.ours.push((query.class.clone(), p50));
        if self.each_query {
            for run in &runs {
                let ratio = run.theirs / run.ours;
                println!("    {:>9.1} {:>9.1} {ratio:>6.2}  {}", run.ours, run.theirs, run.text);
            }
        }
    }

    /// What the classes come to.
    pub fn finish(self) {
        let p50 = |class: &str| self.ratios.iter().filter(|r| r.0.ends_with(class)).map(|r| r.1).collect::<Vec<_>>();
        let means: Vec<f64> = self.ratios.iter().map(|r| r.2).collect();
        println!("\ngeometric mean of ratios: {:.2} of p50, {:.2} of means", geometric(&p50("")), geometric(&means));
        for class in [".top10", ".count", ".top10count"] {
            println!("geometric mean of p50 ratios, *{class}: {:.2}", geometric(&p50(class)));
        }
        let under: Vec<&str> = self.ratios.iter().filter(|r| r.1 < 1.0 || r.2 < 1.0).map(|r| r.0.as_str()).collect();
        println!("classes below 1.0 by either: {}", if under.is_empty() { "none".into() } else { under.join(", ") });
        let counted: Vec<f64> = (self.ours.iter())
            .filter_map(|(class, ours)| {
                let alone = self.ours.iter().find(|(other, _)| format!("{other}count") == *class)?;
                Some(ours / alone.1)
            })
            .collect();
        println!(
            "exact total beside a top 10, in terms of the top 10 alone: {:.2} in the geometric mean",
            geometric(&counted)
        );
        println!("disagreements: {}", self.disagreements);
    }
}

fn geometric(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}
