# Homebrew: the programs of the release. Filled in by `ship/release recipes`.
class Incrowd < Formula
  desc "Anonymizes tables about people, with proven bounds and an independent verifier"
  homepage "https://github.com/incrowd/incrowd"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "https://github.com/incrowd/incrowd/releases/download/v@VERSION@/incrowd-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256 incrowd-VERSION-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "https://github.com/incrowd/incrowd/releases/download/v@VERSION@/incrowd-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256 incrowd-VERSION-x86_64-apple-darwin.tar.gz@"
    end
  end
  on_linux do
    on_arm do
      url "https://github.com/incrowd/incrowd/releases/download/v@VERSION@/incrowd-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 incrowd-VERSION-aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "https://github.com/incrowd/incrowd/releases/download/v@VERSION@/incrowd-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 incrowd-VERSION-x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "incrowd"
    generate_completions_from_executable(bin/"incrowd", "completions")
  end

  test do
    system bin/"incrowd", "demo", "--write", "people.csv", "--rows", "500"
    system bin/"incrowd", "anonymize", "people.csv", "-k", "3", "--quasi", "age,sex", "-o", "release.csv"
    system bin/"incrowd", "verify", "release.csv", "-k", "3", "--quasi", "age,sex"
  end
end
