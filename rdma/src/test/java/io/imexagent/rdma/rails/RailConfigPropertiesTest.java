package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.JsonText;
import io.imexagent.dra.claim.OpaqueFields;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever users write into the parameters of a claim: it is taken as it stands, or refused by a sentence. */
class RailConfigPropertiesTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String WHOLE = "{\"apiVersion\":\"rdma.imexagent.io/v1alpha1\",\"kind\":\"RdmaRailConfig\","
            + "\"mode\":\"Netdev\",\"umad\":true,\"issm\":false,\"nccl\":true,\"env\":\"always\",\"ncclIbHca\":\"=mlx5_0:1\",\"gidIndex\":5,"
            + "\"topologyFile\":\"/w/t.xml\",\"hostTopology\":false,\"debug\":true,\"debugLevel\":\"WARN\"}";

    @Property
    void everyConfigurationIsReadAsItIsWritten(@ForAll("configs") RailConfig config)
            throws JsonProcessingException, OpaqueFields.FieldException {
        assertThat(RailConfig.decode(new JsonText(JSON.writeValueAsString(written(config)))))
                .isEqualTo(config);
    }

    @Property
    void noTextIsTooMuch(@ForAll String text) {
        readOrFault(text);
    }

    /** Text alone is seldom JSON, so JSON with a few wrong characters is tried as well. */
    @Property
    void noBendIsTooMuchAndNoneReachesTheEnvironmentUnseen(@ForAll("bent") String text) {
        readOrFault(text);
    }

    private static void readOrFault(String text) {
        try {
            assertFit(RailConfig.decode(new JsonText(text)));
        } catch (OpaqueFields.FieldException fault) {
            assertThat(fault.reason()).isNotBlank();
        }
    }

    /** What ends up in the environment of a container can begin no second line of it. */
    private static void assertFit(RailConfig config) {
        config.debug().values().forEach(RailConfigPropertiesTest::assertOneLine);
        config.hca().ifPresent(RailConfigPropertiesTest::assertOneLine);
        config.topologyFile().ifPresent(path -> {
            assertOneLine(path);
            assertThat(path).startsWith("/");
        });
        config.gidIndex().ifPresent(index -> assertThat(index).isBetween(0, 255));
    }

    private static void assertOneLine(String value) {
        assertThat(value).matches("[ -~]{1,1023}");
    }

    @Provide
    Arbitrary<String> bent() {
        Arbitrary<Integer> places = Arbitraries.integers().between(0, WHOLE.length() - 1);
        Arbitrary<Character> signs = Arbitraries.oneOf(
                Arbitraries.chars().all(),
                Arbitraries.of('{', '}', '[', ']', ',', ':', '"', '\\', '0', '9', '-', 'e', '\n', ' '));
        return Combinators.combine(places, signs)
                .as(Map::entry)
                .list()
                .ofMinSize(1)
                .ofMaxSize(3)
                .map(bends -> {
                    var text = new StringBuilder(WHOLE);
                    bends.forEach(bend -> text.setCharAt(bend.getKey(), bend.getValue()));
                    return text.toString();
                });
    }

    @Provide
    Arbitrary<RailConfig> configs() {
        Arbitrary<String> values =
                Arbitraries.strings().withCharRange(' ', '~').ofMinLength(1).ofMaxLength(40);
        Arbitrary<Map<String, String>> debug = Arbitraries.maps(
                        Arbitraries.of("NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG_FILE", "NCCL_TOPO_DUMP_FILE"),
                        values)
                .ofMaxSize(4);
        Arbitrary<List<Boolean>> flags = Arbitraries.of(true, false).list().ofSize(5);
        return Combinators.combine(
                        Arbitraries.of(RailConfig.RailMode.class),
                        flags,
                        values.optional(),
                        Arbitraries.integers().between(0, 255).optional(),
                        values.map(value -> "/" + value).optional(),
                        debug)
                .as((mode, flag, hca, gid, topology, variables) -> new RailConfig(
                        mode,
                        flag.get(0),
                        flag.get(1),
                        flag.get(2),
                        Optional.of(
                                flag.get(4)
                                        ? RailConfig.EnvironmentMode.ALWAYS
                                        : RailConfig.EnvironmentMode.UNLESS_SET),
                        hca,
                        gid.map(OptionalInt::of).orElseGet(OptionalInt::empty),
                        topology,
                        flag.get(3),
                        new TreeMap<>(variables)));
    }

    private static ObjectNode written(RailConfig config) {
        ObjectNode json = JSON.createObjectNode()
                .put("apiVersion", "rdma.imexagent.io/v1alpha1")
                .put("kind", "RdmaRailConfig")
                .put("mode", config.mode() == RailConfig.RailMode.NETDEV ? "Netdev" : "Verbs")
                .put("umad", config.umad())
                .put("issm", config.issm())
                .put("nccl", config.nccl())
                .put("env", config.env().orElseThrow().text())
                .put("hostTopology", config.hostTopology());
        config.hca().ifPresent(hca -> json.put("ncclIbHca", hca));
        config.gidIndex().ifPresent(index -> json.put("gidIndex", index));
        config.topologyFile().ifPresent(path -> json.put("topologyFile", path));
        var debug = new HashMap<>(config.debug());
        Optional.ofNullable(debug.get("NCCL_DEBUG")).ifPresent(value -> json.put("debugLevel", value));
        Optional.ofNullable(debug.get("NCCL_DEBUG_SUBSYS")).ifPresent(value -> json.put("debugSubsystems", value));
        Optional.ofNullable(debug.get("NCCL_DEBUG_FILE")).ifPresent(value -> json.put("debugFile", value));
        Optional.ofNullable(debug.get("NCCL_TOPO_DUMP_FILE")).ifPresent(value -> json.put("topologyDumpFile", value));
        return json;
    }
}
