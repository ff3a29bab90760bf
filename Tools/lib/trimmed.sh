#!/usr/bin/env bash
# Makes packages that contain only a part of this package, for runs that would take too long with all of it. This file is sourced after
# house.sh and is not run.
set -euo pipefail

# trimmed_package FOLDER PACKAGE,… TARGET...: makes a package of these targets and of our targets on which they depend, with only the named
# packages as dependencies. It is made from the real manifest, so that each target is compiled as usual; $trimmed_addition is Swift code to
# append to the manifest. The folder gets links to our sources unless it has its own.
trimmed_package() {
    local folder=$1 packages=$2 place manifest
    shift 2
    mkdir -p "$folder"
    for place in Sources Tests Fixtures Tools README.md; do
        [[ -e $folder/$place ]] || ln -s "$house_root/$place" "$folder/$place"
    done
    manifest=$(mktemp)
    trimmed_manifest "$packages" "$@" >"$manifest"
    # The manifest is replaced only if its content has changed, because SwiftPM would read a newer file and plan the build again.
    replace_if_other "$manifest" "$folder/Package.swift"
    rm -f "$manifest"
    [[ ! -f $house_root/Package.resolved ]] || replace_if_other "$house_root/Package.resolved" "$folder/Package.resolved"
}

trimmed_manifest() {
    local packages=$1
    shift
    cat "$house_root/Package.swift"
    cat <<TEXT

// From here on by Tools/lib/trimmed.sh.
var keptTargets: Set<String> = [$(quoted_list "$@")]
let keptPackages: Set<String> = [$(IFS=, && quoted_list $packages)]
var keptBefore = 0
while keptBefore < keptTargets.count {
    keptBefore = keptTargets.count
    for target in package.targets where keptTargets.contains(target.name) {
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): keptTargets.insert(name)
            default: break
            }
        }
    }
}
package.products.removeAll()
package.targets.removeAll { !keptTargets.contains(\$0.name) }
package.dependencies.removeAll { dependency in
    guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
    return !keptPackages.contains { location.hasSuffix("/\\(\$0).git") }
}
${trimmed_addition:-}
TEXT
}

quoted_list() {
    [[ $# -eq 0 ]] || printf '"%s", ' "$@"
}

# replace_if_other SOURCE COPY: updates the copy only if the content differs, so that its modification time causes no needless build.
replace_if_other() {
    cmp -s "$1" "$2" || cp "$1" "$2"
}
