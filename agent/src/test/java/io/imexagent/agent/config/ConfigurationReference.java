package io.imexagent.agent.config;

import io.imexagent.core.policy.Isolation;
import java.util.List;
import java.util.stream.Collectors;

/** Writes {@code docs/configuration.md} from the keys, so that the reference cannot differ from the agent. */
public final class ConfigurationReference {

    private static final String INTRODUCTION = """
        # Configuration

        <!-- Written by `make docs` from the agent's keys. Do not edit. -->

        Four sources, the later beats the earlier:

        1. the defaults below;
        2. a YAML file: `--config FILE`, or else `IMEX_AGENT_CONFIG`, or else `/etc/imex-agent/config.yaml`, which \
        need not exist;
        3. the environment: each key's variable. An empty variable counts as not set;
        4. the command line: a key's own flag, and `--set <key>=<value>` for every key. Of two that set one key, \
        `--set` beats the key's own flag, and the later `--set` the earlier.

        `imex-agent config show` prints every value and where it came from, `imex-agent config validate` every fault: \
        an unknown key (with the nearest known one), a key that stands there twice, a value of the wrong kind or \
        out of its range, values that do not go together. The agent does not start on a faulty configuration; all faults \
        are reported at once, with file and line. `docs/config.example.yaml` shows a file with every key.

        Text has one grammar in all four sources, quoted or not. Switches are `true` or `false` and nothing else, so a \
        quoted `"false"` is false. Durations carry their units, `h`, `m`, `s`, `ms`: `30s`, `1m30s`, `500ms`. \
        A value with several entries may be a YAML list in the file.

        Variables that begin with `IMEX_AGENT_` and that the agent does not know are faults, except `IMEX_AGENT_JAVA_…` \
        and `IMEX_AGENT_JVM_…`, which the start script reads, and those that Kubernetes sets for a Service of the agent's name.

        """;

    /** The keys that most files hold, by path, with the case that needs each. */
    static final List<OftenSet> OFTEN_SET = List.of(
            new OftenSet(ConfigKeys.HOST_MANAGED, "an agent serves, or a controller works"),
            new OftenSet(
                    ConfigKeys.ISOLATION,
                    "the gate is on: it has no default, [which one](quickstart.md#which-isolation)"),
            new OftenSet("imex.health.gatePrepare", "claims must wait while nvidia-imex is not ready"),
            new OftenSet("imex.health.taint", "the scheduler must avoid nodes whose nvidia-imex is not ready"),
            new OftenSet("imex.channelsPerNamespace", "one namespace must not use up the channels of a clique"),
            new OftenSet("host.driverRoot", "the driver is in a container"),
            new OftenSet("kubelet.root", "the kubelet has another root directory"),
            new OftenSet("kubernetes.kubeconfig", "the kubelet's kubeconfig is at an unusual place"),
            new OftenSet("http.address", "metrics and health must answer on one address alone"),
            new OftenSet("rdma.enabled", "pods take RDMA NICs"));

    private static final String GATES = """
        Gates can also be given in the public driver's form, `HostManagedIMEX=true,ComputeDomainCliques=false`: in \
        `IMEX_AGENT_FEATURE_GATES` (which a gate's own variable beats) or with `--feature-gates`. Under `HostManagedIMEX` \
        `IMEXDaemonsWithDNSNames` and `ComputeDomainCliques` are forced off whatever is set; the resolved values are logged at start.

        """;

    private ConfigurationReference() {}

    /** The reference as Markdown. */
    public static String markdown() {
        var text = new StringBuilder(INTRODUCTION);
        oftenSet(text);
        text.append("## Keys\n\n");
        for (String section : ConfigKeys.names("")) {
            section(section, text);
        }
        publicNames(text);
        reload(text);
        return text.toString();
    }

    /**
     * A key that people set.
     *
     * @param path its path
     * @param where the case that needs it
     */
    record OftenSet(String path, String where) {}

    private static void oftenSet(StringBuilder text) {
        text.append("## Ten keys that people set\n\n| key | set it where |\n|---|---|\n");
        for (OftenSet often : OFTEN_SET) {
            ConfigKey key = ConfigKeys.ALL.stream()
                    .filter(each -> each.path().equals(often.path()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException(often.path() + " is no key"));
            text.append("| `%s` | %s |\n".formatted(key.path(), often.where()));
        }
        text.append('\n');
    }

    private static void publicNames(StringBuilder text) {
        text.append("""
            ## Names of the public driver

            Release 0.5 of the public driver has other names for three settings. They are taken in the file, also where the \
            values of its chart have them (`resources.computeDomains.imex.…`), with `--set`, as variables and as flags; \
            `imex-agent config show` says where, and in which words. Two of its names for one setting with other values \
            are a fault that names both places, wherever they stand, and so are one of its names and one of ours; among \
            ours the later source beats the earlier. \
            [Switching](switching.md#from-the-values-of-the-public-chart) has a table of the other values.

            | its key | its variable and flag | here |
            |---|---|---|
            """);
        for (PublicName name : PublicName.values()) {
            text.append("| `%s` | `%s`, `%s` | `%s`%s |\n"
                    .formatted(name.path(), name.variable(), name.flag(), name.key(), words(name)));
        }
        text.append('\n');
    }

    private static String words(PublicName name) {
        return name.choices().stream()
                .map(word -> "; `%s` is `%s`".formatted(word, name.ours(word).orElseThrow()))
                .collect(Collectors.joining());
    }

    private static void section(String section, StringBuilder text) {
        text.append("### `").append(section).append("`\n\n");
        if (section.equals(ConfigKeys.FEATURE_GATES)) {
            text.append(GATES);
        }
        ConfigKeys.ALL.stream()
                .filter(key -> key.path().startsWith(section + "."))
                .forEach(key -> key(key, text));
        if (section.equals("imex")) {
            isolation(text);
        }
    }

    private static void key(ConfigKey key, StringBuilder text) {
        text.append("**`")
                .append(key.path())
                .append("`** – ")
                .append(key.meaning())
                .append("\n\n");
        item("value", key.expected(), text);
        item("default", key.defaultText(), text);
        item("environment", code(key.environmentVariable()), text);
        item(
                "command line",
                key.flag().map(ConfigurationReference::code).orElseGet(() -> code("--set " + key.path() + "=…")),
                text);
        item("on SIGHUP", key.reloadable() ? "takes effect" : "needs a restart", text);
        text.append('\n');
    }

    private static void item(String name, String value, StringBuilder text) {
        text.append("- ").append(name).append(": ").append(value).append('\n');
    }

    private static void isolation(StringBuilder text) {
        text.append("""
            `HostManagedIMEX` on and `imex.isolation` not set is a fault: how workloads are kept apart is a decision that \
            nobody should make by leaving it out.

            | HostManagedIMEX | isolation | behaviour |
            |---|---|---|
            | `false` | any | isolation is ignored; the agent serves no devices and only observes |
            | `true` | not set | fault that names the values |
            """);
        for (Isolation isolation : Isolation.values()) {
            text.append("| `true` | `")
                    .append(isolation.text())
                    .append("` | ")
                    .append(behaviour(isolation))
                    .append(" |\n");
        }
        text.append("\nMode and isolation must not change while claims are prepared: drain the node first.\n\n");
    }

    private static String behaviour(Isolation isolation) {
        return switch (isolation) {
            case NONE, IMEX_CHANNEL -> isolation.meaning();
            case IMEX_DOMAIN -> isolation.meaning() + ": fault";
        };
    }

    private static void reload(StringBuilder text) {
        List<String> live = ConfigKeys.ALL.stream()
                .filter(key -> key.reloadable())
                .map(key -> code(key.path()))
                .toList();
        text.append("## Changes while the agent runs\n\n")
                .append("On SIGHUP the agent loads its configuration again. ")
                .append(String.join(", ", live))
                .append(" take effect at once; every other change is logged as one that waits for a restart. A faulty ")
                .append("configuration changes nothing; its faults are logged.\n");
    }

    private static String code(String text) {
        return "`" + text + "`";
    }
}
