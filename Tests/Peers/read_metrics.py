"""Reads metrics from standard input with Prometheus's own parser and prints them as JSON.

Prints {"FAMILY": {"type": …, "help": …, "samples": [[NAME, {LABEL: VALUE}, NUMBER], …]}, …}, and fails where
Prometheus could not read them.
"""

import json
import sys

from prometheus_client.parser import text_string_to_metric_families

families = {}
for family in text_string_to_metric_families(sys.stdin.read()):
    if family.name in families:
        sys.exit(f"{family.name} is there twice")
    families[family.name] = {
        "type": family.type,
        "help": family.documentation,
        "samples": [[sample.name, sample.labels, sample.value] for sample in family.samples],
    }
json.dump(families, sys.stdout)
