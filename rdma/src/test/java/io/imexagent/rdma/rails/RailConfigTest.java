package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.JsonText;
import io.imexagent.dra.claim.OpaqueFields;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RailConfigTest {

    private static final String HEAD = "\"apiVersion\":\"rdma.imexagent.io/v1alpha1\",\"kind\":\"RdmaRailConfig\"";

    @Test
    void aConfigurationThatSaysNothingIsTheStandardOne() throws OpaqueFields.FieldException {
        assertThat(decode("{" + HEAD + "}")).isEqualTo(RailConfig.STANDARD);
        assertThat(decode("{" + HEAD + ",\"umad\":null,\"gidIndex\":null,\"env\":null,\"debugLevel\":null}"))
                .isEqualTo(RailConfig.STANDARD);
    }

    @Test
    void everyFieldIsTaken() throws OpaqueFields.FieldException {
        assertThat(decode("{" + HEAD + """
            ,"mode":"Netdev","umad":true,"issm":true,"nccl":false,"env":"unless-set","ncclIbHca":"=mlx5_0:1","gidIndex":5,
            "topologyFile":"/workspace/topo.xml","hostTopology":false,"debugLevel":"WARN"}\
            """))
                .isEqualTo(new RailConfig(
                        RailConfig.RailMode.NETDEV,
                        true,
                        true,
                        false,
                        Optional.of(RailConfig.EnvironmentMode.UNLESS_SET),
                        Optional.of("=mlx5_0:1"),
                        OptionalInt.of(5),
                        Optional.of("/workspace/topo.xml"),
                        false,
                        new TreeMap<>(Map.of("NCCL_DEBUG", "WARN"))));
    }

    @Test
    void oneSwitchSetsAllOfDebugAndSingleValuesWin() throws OpaqueFields.FieldException {
        RailConfig config = decode("{" + HEAD + ",\"debug\":true,\"debugFile\":\"/out\"}");

        assertThat(config.debug())
                .containsOnlyKeys("NCCL_DEBUG", "NCCL_DEBUG_FILE", "NCCL_DEBUG_SUBSYS", "NCCL_TOPO_DUMP_FILE")
                .containsEntry("NCCL_DEBUG", "INFO")
                .containsEntry("NCCL_DEBUG_FILE", "/out");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "~,\"mode\":\"netdev\"~ | field \"mode\" must be \"Verbs\" or \"Netdev\", not \"netdev\"",
                "~,\"mod\":\"x\"~ | unknown field \"mod\"; there are apiVersion, kind,",
                "~,\"env\":\"never\"~ | field \"env\" must be \"always\" or \"unless-set\", not \"never\"",
                "~,\"env\":\"Always\"~ | field \"env\" must be \"always\" or \"unless-set\", not \"Always\"",
                "~,\"env\":true~ | field \"env\" must be a string, not a boolean",
                "~,\"env\":{\"NCCL_DEBUG\":\"INFO\"}~ | field \"env\" must be a string, not an object",
                "~,\"umad\":\"yes\"~ | field \"umad\" must be a boolean, not a string",
                "~,\"gidIndex\":256~ | field \"gidIndex\" must be a whole number from 0 to 255",
                "~,\"gidIndex\":-1~ | field \"gidIndex\" must be a whole number from 0 to 255",
                "~,\"gidIndex\":99999999999~ | field \"gidIndex\" must be a whole number from 0 to 255",
                "~,\"gidIndex\":1.5~ | field \"gidIndex\" must be a whole number, not a number",
                "~,\"topologyFile\":\"topo.xml\"~ | field \"topologyFile\" must be an absolute path in the container",
                "~,\"ncclIbHca\":\"a\\n"
                        + "LD_PRELOAD=b\"~ | field \"ncclIbHca\" must be at most 1023 printable ASCII characters",
                "~,\"debugLevel\":[\"INFO\"]~ | field \"debugLevel\" must be a string, not an array",
                "~,\"nccl\":true,\"nccl\":false~ | field \"nccl\" is there twice"
            })
    void whatIsWrongIsNamed(String fields, String reason) {
        assertThat(fault("{" + HEAD + fields + "}")).startsWith(reason);
    }

    @Test
    void aValueIsAsLongAsNcclReadsOneOutOfAFileAndNoLonger() throws OpaqueFields.FieldException {
        String longest = "m".repeat(1023);

        assertThat(decode("{" + HEAD + ",\"ncclIbHca\":\"" + longest + "\"}").hca())
                .contains(longest);
        assertThat(fault("{" + HEAD + ",\"ncclIbHca\":\"m" + longest + "\"}"))
                .isEqualTo("field \"ncclIbHca\" must be at most 1023 printable ASCII characters");
        assertThat(fault("{" + HEAD + ",\"env\":\"" + "x".repeat(60_000) + "\"}"))
                .startsWith("field \"env\" must be")
                .hasSizeLessThan(300);
    }

    @Test
    void anotherKindVersionOrShapeIsNamed() {
        assertThat(fault("{\"apiVersion\":\"rdma.imexagent.io/v1alpha1\",\"kind\":\"Other\"}"))
                .isEqualTo("field \"kind\" must be \"RdmaRailConfig\", not \"Other\"");
        assertThat(fault("{\"apiVersion\":\"v9\",\"kind\":\"RdmaRailConfig\"}"))
                .isEqualTo("field \"apiVersion\" must be \"rdma.imexagent.io/v1alpha1\", not \"v9\"");
        assertThat(fault("{}")).isEqualTo("field \"apiVersion\" is missing or empty");
        assertThat(fault("[]")).isEqualTo("it must be a JSON object, not an array");
        assertThat(fault("{" + HEAD)).startsWith("its JSON is refused: kind: ends too early");
    }

    private static RailConfig decode(String json) throws OpaqueFields.FieldException {
        return RailConfig.decode(new JsonText(json));
    }

    private static String fault(String json) {
        try {
            throw new AssertionError("valid: " + decode(json));
        } catch (OpaqueFields.FieldException fault) {
            return fault.reason();
        }
    }
}
