package io.imexagent.e2e.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.StringLength;

/**
 * The hook's reading of a container's state: whatever a runtime writes there, the process is that of the field, or none.
 * The processes do not exist, so the hook never comes to touch an interface.
 */
class RailArpHookTest {

    /** More than Linux ever gives out ({@code PID_MAX_LIMIT}, 2^22). */
    private static final int NO_SUCH_PROCESS = 1 << 22;

    private static final Path HOOK = Checkout.find().root().resolve("packaging/hooks/rail-arp-hook");
    private static final ObjectMapper JSON = new ObjectMapper();

    @Property(tries = 60)
    void theProcessIsThatOfTheStateWhateverElseItSays(@ForAll("states") State state) throws Exception {
        String text = state.pretty()
                ? JSON.writerWithDefaultPrettyPrinter().writeValueAsString(state.json())
                : JSON.writeValueAsString(state.json());

        assertThat(hook(text))
                .as(text)
                .isEqualTo("rail-arp-hook: process " + state.pid() + " of the container is gone");
    }

    @Property(tries = 40)
    void aStateWithoutAProcessIsNoneWhateverElseItSays(@ForAll("states") State state) throws Exception {
        ObjectNode without = state.json().deepCopy();
        without.remove("pid");

        assertThat(hook(JSON.writeValueAsString(without)))
                .isEqualTo("rail-arp-hook: the container's state on standard input has no process ID");
    }

    @Property(tries = 40)
    void noBytesAreTooMuch(@ForAll byte[] bytes) throws Exception {
        assertThat(hook(bytes)).startsWith("rail-arp-hook: ");
    }

    @Example
    void brokenTextBeforeTheProcessHidesItNot() throws Exception {
        byte[] state = "{\"bundle\":\"/?\",\"pid\":4194304}".getBytes(StandardCharsets.US_ASCII);
        state[12] = (byte) 0xff;

        assertThat(hook(state)).isEqualTo("rail-arp-hook: process 4194304 of the container is gone");
    }

    @Property(tries = 20)
    void aStateThatBreaksOffBeforeItsProcessIsNone(@ForAll @AlphaChars @StringLength(max = 20) String id)
            throws Exception {
        assertThat(hook("{\"ociVersion\":\"1.3.0\",\"id\":\"" + id + "\",\"pid\":"))
                .isEqualTo("rail-arp-hook: the container's state on standard input has no process ID");
    }

    /**
     * A container's state (OCI runtime specification, "State").
     *
     * @param pid its process
     * @param json the state
     * @param pretty whether it is written over several lines
     */
    record State(int pid, ObjectNode json, boolean pretty) {}

    @Provide
    Arbitrary<State> states() {
        Arbitrary<String> texts = Arbitraries.oneOf(
                Arbitraries.of(
                        "\"pid\": 1",
                        "\"pid\":1,",
                        "\\\"pid\\\": 1",
                        "pid",
                        "\",\"pid\":1,\"x\":\"",
                        "\n\"pid\": 1\n",
                        "\\",
                        "{\"pid\":1}"),
                Arbitraries.strings()
                        .all()
                        .ofMaxLength(10)
                        .filter(text -> text.codePoints()
                                .noneMatch(c ->
                                        c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE))));
        Arbitrary<Map<String, String>> annotations = Arbitraries.maps(
                        Arbitraries.oneOf(Arbitraries.of("pid", "a.b/pid"), texts), texts)
                .ofMaxSize(3);
        return Combinators.combine(
                        Arbitraries.integers().between(NO_SUCH_PROCESS, Integer.MAX_VALUE),
                        texts,
                        annotations,
                        Arbitraries.of(true, false),
                        Arbitraries.longs())
                .as((pid, bundle, notes, pretty, order) -> new State(pid, state(pid, bundle, notes, order), pretty));
    }

    private static ObjectNode state(int pid, String bundle, Map<String, String> notes, long order) {
        Map<String, JsonNode> fields = new HashMap<>(Map.of(
                "ociVersion", JSON.valueToTree("1.3.0"),
                "id", JSON.valueToTree("rails"),
                "status", JSON.valueToTree("creating"),
                "pid", JSON.valueToTree(pid),
                "bundle", JSON.valueToTree(bundle)));
        fields.put("annotations", JSON.valueToTree(notes));
        List<String> names = new ArrayList<>(fields.keySet());
        Collections.sort(names);
        Collections.shuffle(names, new Random(order));
        ObjectNode json = JSON.createObjectNode();
        names.forEach(name -> json.set(name, fields.get(name)));
        return json;
    }

    private static String hook(String state) throws IOException, InterruptedException {
        return hook(state.getBytes(StandardCharsets.UTF_8));
    }

    private static String hook(byte[] state) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(HOOK.toString(), "rdma0")
                .redirectErrorStream(true)
                .start();
        try (var in = process.getOutputStream()) {
            in.write(state);
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
        return output;
    }
}
