//! The symmetries of a grid of combinations: columns of equal size change places, values change names.

/// Most symmetries times points that are kept; of a larger group only the changes of columns are.
const MOST: u64 = 4_000_000;

/// Permutations of the points, each with the permutation of columns that belongs to it.
pub(super) struct PointSymmetries {
    /// For each symmetry the point that stands at each place afterwards.
    points: Vec<Vec<u32>>,
    /// For each symmetry the column that stands at each place afterwards.
    columns: Vec<Vec<u8>>,
}

impl PointSymmetries {
    /// None: for points that are no full grid.
    pub(super) fn none() -> Self {
        PointSymmetries { points: Vec::new(), columns: Vec::new() }
    }

    /// Those of the grid of all combinations.
    pub(super) fn new(domains: &[u32], grid: &[Vec<u32>]) -> Self {
        let most = MOST / (grid.len() as u64).max(1);
        let orders = column_orders(domains, most);
        let renamings: u64 =
            domains.iter().fold(1, |product: u64, &size| product.saturating_mul(factorial(size)));
        let mut columns = Vec::new();
        let mut points = Vec::new();
        let names: Vec<Vec<Vec<u32>>> = if renamings.saturating_mul(orders.len() as u64) <= most {
            product(&domains.iter().map(|&size| permutations(size)).collect::<Vec<_>>())
        } else {
            vec![domains.iter().map(|&size| (0..size).collect()).collect()]
        };
        for order in &orders {
            for renaming in &names {
                let place = |point: &Vec<u32>| {
                    // Where column `at` of the image comes from, and what its value is called there.
                    (0..domains.len()).fold(0, |index, at| {
                        index * domains[at] + renaming[at][point[order[at] as usize] as usize]
                    })
                };
                points.push(grid.iter().map(place).collect());
                columns.push(inverse(order));
            }
        }
        PointSymmetries { points, columns }
    }

    /// The least image of a state: what is free at each point, and the blanks that each column still needs.
    /// States with the same least image are the same but for names.
    pub(super) fn least(&self, free: &[u8], quota: &[u16]) -> (Vec<u8>, Vec<u16>) {
        let mut best = (free.to_vec(), quota.to_vec());
        for (points, columns) in self.points.iter().zip(&self.columns) {
            let quotas = columns.iter().map(|&from| quota[from as usize]);
            // Compared place by place: most images are out after a few.
            let mut order = quotas.clone().cmp(best.1.iter().copied());
            if order.is_eq() {
                order = points.iter().map(|&at| free[at as usize]).cmp(best.0.iter().copied());
            }
            if order.is_lt() {
                best = (points.iter().map(|&at| free[at as usize]).collect(), quotas.collect());
            }
        }
        best
    }
}

/// The order that undoes an order.
fn inverse(order: &[u8]) -> Vec<u8> {
    let mut inverse = vec![0; order.len()];
    for (at, &column) in order.iter().enumerate() {
        inverse[column as usize] = at as u8;
    }
    inverse
}

fn factorial(number: u32) -> u64 {
    (1..=u64::from(number)).fold(1, u64::saturating_mul)
}

/// All orders of the numbers below `size`.
fn permutations(size: u32) -> Vec<Vec<u32>> {
    (0..size).fold(vec![Vec::new()], |orders, next| {
        orders
            .iter()
            .flat_map(|order| {
                (0..=order.len()).map(|at| {
                    let mut longer = order.clone();
                    longer.insert(at, next);
                    longer
                })
            })
            .collect()
    })
}

/// All orders of columns in which every place has a column of its own size; only the order as it is if they
/// are too many.
fn column_orders(domains: &[u32], most: u64) -> Vec<Vec<u8>> {
    let mut orders: Vec<Vec<u8>> = vec![Vec::new()];
    for &size in domains {
        let longer = |order: &Vec<u8>| {
            (0..domains.len() as u8)
                .filter(|&column| domains[column as usize] == size && !order.contains(&column))
                .map(|column| [order.as_slice(), &[column]].concat())
                .collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
        if orders.len() as u64 > most {
            return vec![(0..domains.len() as u8).collect()];
        }
    }
    orders
}

/// All ways to choose one of each list.
fn product<T: Clone>(lists: &[Vec<T>]) -> Vec<Vec<T>> {
    lists.iter().fold(vec![Vec::new()], |chosen, list| {
        chosen
            .iter()
            .flat_map(|chosen: &Vec<T>| {
                list.iter().map(|next| [chosen.as_slice(), std::slice::from_ref(next)].concat())
            })
            .collect()
    })
}
