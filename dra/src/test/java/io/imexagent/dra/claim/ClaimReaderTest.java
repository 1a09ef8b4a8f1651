package io.imexagent.dra.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimReaderTest {

    private static final ClaimRef REF = Specimens.ref("a");

    private final FakeClaims claims = new FakeClaims();
    private final ClaimReader reader = new ClaimReader(claims);

    @Test
    void readsTheStatusOfTheClaim() throws ApiException {
        claims.put(REF, Specimens.status(Specimens.DOMAIN));

        assertThat(reader.read(REF).toOptional()).contains(Specimens.decoded(Specimens.status(Specimens.DOMAIN)));
        assertThat(claims.reads()).isEqualTo(1);
    }

    @Test
    void namesAClaimThatIsNotThere() throws ApiException {
        Refusal refusal = Refused.of(reader.read(REF));

        assertThat(refusal.code()).isEqualTo(RefusalCode.CLAIM_NOT_FOUND);
        assertThat(refusal.message()).contains("team/a", "does not exist");
    }

    @Test
    void namesBothUidsWhereAnotherClaimHasTheName() throws ApiException {
        claims.put(new ClaimRef(REF.name(), Specimens.ref("other").uid()), Specimens.status(Specimens.DOMAIN));

        Refusal refusal = Refused.of(reader.read(REF));

        assertThat(refusal.code()).isEqualTo(RefusalCode.CLAIM_REPLACED);
        assertThat(refusal.message()).startsWith("claim team/a got replaced").contains("uid-a", "uid-other");
    }

    @Test
    void namesTheFieldOfAStatusThatItCannotRead() throws ApiException {
        claims.put(REF, "{\"allocation\":7}");

        Refusal refusal = Refused.of(reader.read(REF));

        assertThat(refusal.code()).isEqualTo(RefusalCode.CLAIM_UNREADABLE);
        assertThat(refusal.message()).contains("status.allocation");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "\u00fc"})
    void aStatusThatIsTooLargeIsRefusedByItsBytesAndTheLargestIsNot(String filling) throws ApiException {
        String head = "{\"reservedFor\":[{\"resource\":\"pods\",\"name\":\"";
        String tail = "\",\"uid\":\"u\"}]}";
        int room = ClaimReader.LARGEST - head.length() - tail.length();
        int most = room / filling.getBytes(StandardCharsets.UTF_8).length;

        claims.put(REF, head + filling.repeat(most) + tail);
        assertThat(reader.read(REF).refusal()).isEmpty();

        claims.put(REF, head + filling.repeat(most + 1) + tail);
        Refusal refusal = Refused.of(reader.read(REF));
        assertThat(refusal.code()).isEqualTo(RefusalCode.CLAIM_TOO_LARGE);
        assertThat(refusal.message()).contains("team/a", "65536", "spec.devices.config");
    }

    @Test
    void handsEveryFailureOn() {
        for (ApiFailure.Kind kind : ApiFailure.Kind.values()) {
            claims.breakFor(REF, FakeClaims.failure(kind, "why, and what to do"));

            assertThatThrownBy(() -> reader.read(REF))
                    .isInstanceOfSatisfying(
                            ApiException.class,
                            e -> assertThat(e.failure().message()).isEqualTo("why, and what to do"));
        }
    }
}
