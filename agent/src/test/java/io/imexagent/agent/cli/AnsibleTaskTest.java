package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.imexagent.imex.gate.ImexServiceSettings;
import io.imexagent.imex.provision.Provisioning.ProvisionResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The Ansible task of {@code docs/gate.md}, with its variables put in as Jinja would, run by the real command line. What
 * is understood of Jinja is what the task uses: literals, {@code ~ variable}, and {@code ~ (variable | filters)}.
 */
class AnsibleTaskTest {

    private static final Path PAGE = Path.of("../docs/gate.md");
    private static final Pattern BLOCK = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    private static final Pattern TERM =
            Pattern.compile("'([^'()]+)'(?:\\s*~\\s*(?:\\((\\w+)((?:\\s*\\|\\s*\\w+(?:\\('[^']*'\\))?)+)\\)|(\\w+)))?");
    private static final Pattern FILTER = Pattern.compile("\\|\\s*(\\w+)(?:\\('([^']*)'\\))?");

    private final CliFixture cli = new CliFixture();
    private final AtomicReference<Optional<ImexServiceSettings>> provisioned = new AtomicReference<>(Optional.empty());
    private JsonNode task;
    private Map<String, JsonNode> variables;

    @BeforeEach
    void readThePage() throws IOException {
        String section = Files.readString(PAGE);
        section = section.substring(section.indexOf("### From Ansible"));
        List<String> blocks =
                BLOCK.matcher(section).results().map(match -> match.group(1)).toList();
        assertThat(blocks).as("task and variables").hasSize(2);
        JsonNode tasks = new YAMLMapper().readTree(blocks.get(0));
        assertThat(tasks.isArray()).isTrue();
        assertThat(tasks).hasSize(1);
        task = tasks.get(0);
        variables = new TreeMap<>();
        new YAMLMapper()
                .readTree(blocks.get(1))
                .properties()
                .forEach(entry -> variables.put(entry.getKey(), entry.getValue()));
        cli.provision((config, change, onlyWithGpu, lines) -> {
            provisioned.set(Optional.of(config.imex().service()));
            lines.accept("changed: installed");
            return ProvisionResult.CHANGED;
        });
    }

    @Test
    void theTaskIsOneCommandOfThisProgramWithTheRolesThreeVariables() {
        List<String> arguments = arguments();

        assertThat(arguments).startsWith("imex-agent", "provision");
        assertThat(variables.keySet())
                .containsExactly("__hpc_nvidia_imex_package", "hpc_install_nvidia_imex", "hpc_nvidia_imex_vendors");
        assertThat(run(arguments)).as(cli.err()).isEqualTo(ExitCode.OK);
        ImexServiceSettings service = provisioned.get().orElseThrow();
        assertThat(service.manage()).isTrue();
        assertThat(service.packageName()).isEqualTo("nvidia-imex");
        assertThat(service.vendors()).containsExactly("Microsoft Corporation");
    }

    @Test
    void everyVariableReachesItsKey() throws IOException {
        variables.put("hpc_install_nvidia_imex", new YAMLMapper().readTree("false"));
        variables.put("__hpc_nvidia_imex_package", new YAMLMapper().readTree("nvidia-imex-580"));
        variables.put("hpc_nvidia_imex_vendors", new YAMLMapper().readTree("[NVIDIA, 'Dell Inc.']"));

        assertThat(run(arguments())).as(cli.err()).isEqualTo(ExitCode.OK);

        ImexServiceSettings service = provisioned.get().orElseThrow();
        assertThat(service.manage()).isFalse();
        assertThat(service.packageName()).isEqualTo("nvidia-imex-580");
        assertThat(service.vendors()).containsExactly("NVIDIA", "Dell Inc.");
    }

    @Test
    void whatTheTaskCallsAChangeIsWhatTheProgramPrints() {
        run(arguments());

        Matcher sought = Pattern.compile("'([^']+)' in (\\w+)\\.stdout")
                .matcher(task.path("changed_when").asText());
        assertThat(sought.matches()).isTrue();
        assertThat(sought.group(2)).isEqualTo(task.path("register").asText());
        assertThat(cli.out()).contains(sought.group(1));
    }

    private ExitCode run(List<String> arguments) {
        return cli.execute(arguments.subList(1, arguments.size()).toArray(String[]::new));
    }

    private List<String> arguments() {
        String template =
                task.path("ansible.builtin.command").path("argv").asText().strip();
        assertThat(template).startsWith("{{").endsWith("}}");
        var arguments = new ArrayList<String>();
        for (MatchResult term : TERM.matcher(template).results().toList()) {
            arguments.add(term.group(1) + appended(term));
        }
        return arguments;
    }

    private String appended(MatchResult term) {
        if (term.group(4) != null) {
            return variable(term.group(4)).asText();
        }
        if (term.group(2) == null) {
            return "";
        }
        JsonNode value = variable(term.group(2));
        String text = value.asText();
        for (MatchResult filter : FILTER.matcher(term.group(3)).results().toList()) {
            text = switch (filter.group(1)) {
                case "bool" -> {
                    assertThat(value.isBoolean()).isTrue();
                    // Jinja prints Python's words.
                    yield value.asBoolean() ? "True" : "False";
                }
                case "string" -> text;
                case "lower" -> text.toLowerCase(Locale.ROOT);
                case "join" -> {
                    var texts = new ArrayList<String>();
                    value.forEach(element -> texts.add(element.asText()));
                    yield String.join(filter.group(2), texts);
                }
                default -> throw new AssertionError("filter " + filter.group(1) + " is not known here");
            };
        }
        return text;
    }

    private JsonNode variable(String name) {
        return Optional.ofNullable(variables.get(name))
                .orElseThrow(() -> new AssertionError("the docs give no default for " + name));
    }
}
