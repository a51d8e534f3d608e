//! Hierarchies that are ready to use.

use super::names::named;

named! {
    /// A hierarchy that is ready to use.
    pub enum Ready("ready hierarchy") as incrowd::value::Ready {
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

impl From<incrowd::value::Ready> for Ready {
    fn from(ready: incrowd::value::Ready) -> Self {
        use incrowd::value::Ready as Engine;
        match ready {
            Engine::Countries => Ready::Countries,
            Engine::Icd10 => Ready::Icd10,
            Engine::Ip => Ready::Ip,
            Engine::Email => Ready::Email,
        }
    }
}
