package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.claim.JsonText;
import io.imexagent.dra.claim.OpaqueFields;
import io.imexagent.imex.prepare.DemandReader.ComputeDomainConfig;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class ComputeDomainConfigTest {

    private static final String VERSION = "\"apiVersion\":\"resource.nvidia.com/v1beta1\"";
    private static final String CHANNEL = "\"kind\":\"ComputeDomainChannelConfig\"";
    private static final String DAEMON = "\"kind\":\"ComputeDomainDaemonConfig\"";
    private static final String DOMAIN = "\"domainID\":\"d\"";

    @Example
    void readsAChannelConfig() throws OpaqueFields.FieldException {
        assertThat(decode("{" + VERSION + "," + CHANNEL + "," + DOMAIN + ",\"allocationMode\":\"Single\"}"))
                .isEqualTo(channel("Single"));
    }

    @Example
    void readsFieldsInAnyOrder() throws OpaqueFields.FieldException {
        assertThat(decode("{\"allocationMode\":\"All\"," + DOMAIN + "," + CHANNEL + "," + VERSION + "}"))
                .isEqualTo(channel("All"));
    }

    @Example
    void takesAnAbsentOrNullAllocationModeForEmpty() throws OpaqueFields.FieldException {
        assertThat(decode("{" + VERSION + "," + CHANNEL + "," + DOMAIN + "}")).isEqualTo(channel(""));
        assertThat(decode("{" + VERSION + "," + CHANNEL + "," + DOMAIN + ",\"allocationMode\":null}"))
                .isEqualTo(channel(""));
    }

    @Example
    void readsADaemonConfig() throws OpaqueFields.FieldException {
        assertThat(decode("{" + VERSION + "," + DAEMON + "," + DOMAIN + "}"))
                .isEqualTo(new ComputeDomainConfig(ComputeDomainConfig.DAEMON, new ComputeDomainUid("d"), ""));
    }

    @Example
    void namesAnUnknownField() {
        assertThat(reason("{" + VERSION + "," + CHANNEL + "," + DOMAIN + ",\"domainId\":\"x\"}"))
                .isEqualTo("unknown field \"domainId\"; there are apiVersion, kind, domainID, allocationMode");
        assertThat(reason("{" + VERSION + "," + DAEMON + "," + DOMAIN + ",\"allocationMode\":\"Single\"}"))
                .isEqualTo("unknown field \"allocationMode\" in a ComputeDomainDaemonConfig");
    }

    @Example
    void namesAFieldOfAnotherType() {
        assertThat(reason("{\"domainID\":7}")).isEqualTo("field \"domainID\" must be a string, not a number");
        assertThat(reason("{\"kind\":{\"a\":1}}")).isEqualTo("field \"kind\" must be a string, not an object");
        assertThat(reason("{\"apiVersion\":[]}")).isEqualTo("field \"apiVersion\" must be a string, not an array");
        assertThat(reason("{\"allocationMode\":true}"))
                .isEqualTo("field \"allocationMode\" must be a string, not a boolean");
    }

    @Example
    void namesAFieldThatIsThereTwice() {
        assertThat(reason("{" + DOMAIN + "," + DOMAIN + "}")).isEqualTo("field \"domainID\" is there twice");
    }

    @Example
    void namesAMissingOrEmptyField() {
        assertThat(reason("{}")).isEqualTo("field \"apiVersion\" is missing or empty");
        assertThat(reason("{" + VERSION + "}")).isEqualTo("field \"kind\" is missing or empty");
        assertThat(reason("{" + VERSION + "," + CHANNEL + "}")).isEqualTo("field \"domainID\" is missing or empty");
        assertThat(reason("{" + VERSION + "," + CHANNEL + ",\"domainID\":\"\"}"))
                .isEqualTo("field \"domainID\" is missing or empty");
        assertThat(reason("{" + VERSION + "," + CHANNEL + ",\"domainID\":null}"))
                .isEqualTo("field \"domainID\" is missing or empty");
    }

    @Example
    void namesAnotherKindOrVersion() {
        assertThat(reason("{\"apiVersion\":\"resource.nvidia.com/v2\"," + CHANNEL + "," + DOMAIN + "}"))
                .isEqualTo("field \"apiVersion\" must be \"resource.nvidia.com/v1beta1\","
                        + " not \"resource.nvidia.com/v2\"");
        assertThat(reason("{" + VERSION + ",\"kind\":\"GpuConfig\"," + DOMAIN + "}"))
                .isEqualTo("field \"kind\" must be ComputeDomainChannelConfig or ComputeDomainDaemonConfig, not"
                        + " \"GpuConfig\"");
    }

    @Example
    void refusesWhatIsNoJsonObject() {
        assertThat(reason("")).isEqualTo("it must be a JSON object, not empty");
        assertThat(reason("[]")).isEqualTo("it must be a JSON object, not an array");
        assertThat(reason("null")).isEqualTo("it must be a JSON object, not null");
        assertThat(reason("{" + VERSION)).startsWith("its JSON is refused: ");
        assertThat(reason("{" + VERSION + ",}")).startsWith("its JSON is refused: ");
        assertThat(reason("{" + VERSION + "," + CHANNEL + "," + DOMAIN + "} {}"))
                .isEqualTo("its JSON is refused: nothing may follow");
        assertThat(reason("{" + VERSION + "," + CHANNEL + "," + DOMAIN + "} x")).startsWith("its JSON is refused: ");
    }

    @Example
    void refusesWhatIsTooLong() {
        assertThat(reason("{\"domainID\":\"" + "d".repeat(70_000) + "\"}"))
                .isEqualTo("its JSON is refused: is longer than 65536 bytes");
    }

    @Example
    void breaksNoLineWithForeignText() {
        assertThat(reason("{\"a\\nb\\u202e\":1}"))
                .isEqualTo("unknown field \"a?b?\"; there are apiVersion, kind, domainID, allocationMode");
    }

    @Property
    void neverThrowsOnArbitraryText(@ForAll String text) {
        try {
            assertThat(decode(text)).isNotNull();
        } catch (OpaqueFields.FieldException fault) {
            assertThat(fault.reason()).isNotBlank();
        }
    }

    @Property
    void neverThrowsOnBentConfigs(@ForAll @From("bent") String text) {
        try {
            assertThat(decode(text)).isNotNull();
        } catch (OpaqueFields.FieldException fault) {
            assertThat(fault.reason()).isNotBlank();
        }
    }

    @Property
    void takesEveryDomainThatIsNotEmpty(@ForAll @From("domains") String domain) throws OpaqueFields.FieldException {
        assertThat(decode("{" + VERSION + "," + CHANNEL + ",\"domainID\":\"" + domain + "\"}"))
                .isEqualTo(new ComputeDomainConfig(ComputeDomainConfig.CHANNEL, new ComputeDomainUid(domain), ""));
    }

    @Provide
    Arbitrary<String> domains() {
        return Arbitraries.strings()
                .alpha()
                .numeric()
                .withChars('-', '.')
                .ofMinLength(1)
                .ofMaxLength(80);
    }

    /** Configs from which a piece is missing, or in which a character is another. */
    @Provide
    Arbitrary<String> bent() {
        String whole = "{" + VERSION + "," + CHANNEL + "," + DOMAIN + ",\"allocationMode\":\"Single\"}";
        Arbitrary<String> cut =
                Arbitraries.integers().between(0, whole.length()).map(at -> whole.substring(0, at));
        Arbitrary<String> bent = Arbitraries.integers()
                .between(0, whole.length() - 1)
                .flatMap(at -> Arbitraries.chars().map(c -> whole.substring(0, at) + c + whole.substring(at + 1)));
        return Arbitraries.oneOf(cut, bent);
    }

    private static ComputeDomainConfig decode(String json) throws OpaqueFields.FieldException {
        return ComputeDomainConfig.decode(new JsonText(json));
    }

    private static String reason(String json) {
        try {
            throw new AssertionError("valid: " + decode(json));
        } catch (OpaqueFields.FieldException fault) {
            return fault.reason();
        }
    }

    private static ComputeDomainConfig channel(String mode) {
        return new ComputeDomainConfig(ComputeDomainConfig.CHANNEL, new ComputeDomainUid("d"), mode);
    }
}
