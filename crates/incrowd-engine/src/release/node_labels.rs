//! What it costs that a class is told by one node of a hierarchy, beside the set of nodes that holds its values.

use serde::{Deserialize, Serialize};

use super::Release;
use super::labels::class_values;
use crate::cost::released;
use crate::problem::Problem;
use crate::value::{Attribute, ClassSummary};

/// What the labels of a release leave open, from 0 to 1, if its columns of text with hierarchies tell each class by one node
/// or by a set of nodes. The classes are the same: a search that knows which labels are wanted finds better ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeLabelLoss {
    /// The columns.
    pub columns: Vec<String>,
    /// How many of them are released as sets of nodes.
    pub with_sets: usize,
    /// What is left open if each class is told by the node above its values.
    pub as_node: f64,
    /// What is left open if each class is told by a set of nodes.
    pub as_nodes: f64,
}

impl Release {
    /// The loss of both kinds of labels; none where no column of text has a hierarchy.
    pub fn node_label_loss(&self, problem: &Problem) -> Option<NodeLabelLoss> {
        let classes = &self.classes;
        let all = problem.rows as f64 * problem.attributes.iter().map(|it| it.weight).sum::<f64>();
        let printed = self.measures.released_gcp;
        let mut loss = NodeLabelLoss {
            columns: Vec::new(),
            with_sets: 0,
            as_node: printed,
            as_nodes: printed,
        };
        for (at, attribute) in problem.attributes.iter().enumerate() {
            let is_told = matches!(attribute.summary, ClassSummary::Node | ClassSummary::Nodes);
            if attribute.hierarchy.is_none() || attribute.domain.is_numeric() || !is_told {
                continue;
            }
            let form = |summary| Attribute { summary, ..attribute.clone() };
            let forms = [form(ClassSummary::Node), form(ClassSummary::Nodes)];
            let values = class_values(problem, classes, at);
            let mut open = [0.0; 2];
            for class in classes.released() {
                let group = classes.groups[at].get(classes.ids_of(class)[at]);
                let now = released::price(attribute, group);
                let codes: Vec<u32> = values[class].keys().copied().collect();
                for (open, form) in open.iter_mut().zip(&forms) {
                    let other = released::price(form, &form.shown(&form.group(&codes)));
                    *open += (other - now) * classes.sizes[class] as f64;
                }
            }
            loss.columns.push(attribute.name.clone());
            loss.with_sets += usize::from(attribute.shows_nodes());
            loss.as_node += attribute.weight * open[0] / all;
            loss.as_nodes += attribute.weight * open[1] / all;
        }
        (!loss.columns.is_empty()).then_some(loss)
    }
}
