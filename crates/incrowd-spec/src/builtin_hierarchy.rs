//! Hierarchies that are ready to use.

use super::choices::named;

named! {
    /// A hierarchy that is ready to use.
    pub enum BuiltinHierarchy("ready hierarchy") as incrowd_engine::value::BuiltinHierarchy {
        /// Countries by ISO code, number or English name: subregion, continent.
        Countries = "countries" => Countries,
        /// Diagnoses by ICD-10 or ICD-10-CM code: category, block, chapter.
        Icd10 = "icd10" => Icd10,
        /// Internet addresses: /24, /16, /8 of version 4, /64, /48, /32 of version 6.
        Ip = "ip" => Ip,
        /// E-mail addresses: domain, top-level domain.
        Email = "email" => Email,
    }
}

impl From<incrowd_engine::value::BuiltinHierarchy> for BuiltinHierarchy {
    fn from(ready: incrowd_engine::value::BuiltinHierarchy) -> Self {
        use incrowd_engine::value::BuiltinHierarchy as Engine;
        match ready {
            Engine::Countries => BuiltinHierarchy::Countries,
            Engine::Icd10 => BuiltinHierarchy::Icd10,
            Engine::Ip => BuiltinHierarchy::Ip,
            Engine::Email => BuiltinHierarchy::Email,
        }
    }
}
