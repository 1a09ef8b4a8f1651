package io.imexagent.dra.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Claims;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReadClaimTest {

    private static final ClaimRef REF = DraSpecimens.ref("a");

    private final FakeClaims claims = new FakeClaims();

    @Test
    void readsTheStatusOfTheClaim() throws ApiException {
        claims.put(REF, DraSpecimens.status(DraSpecimens.DOMAIN));

        assertThat(ReadClaim.of(claims, REF).toOptional())
                .contains(new ReadClaim(DraSpecimens.decoded(DraSpecimens.status(DraSpecimens.DOMAIN)), Map.of()));
        assertThat(claims.reads()).isEqualTo(1);
    }

    @Test
    void namesAClaimThatIsNotThere() throws ApiException {
        Refusal refusal = Refused.of(ReadClaim.of(claims, REF));

        assertThat(refusal.code()).isEqualTo(RefusalCode.CLAIM_NOT_FOUND);
        assertThat(refusal.message()).contains("team/a", "does not exist");
    }

    @Test
    void namesBothUidsWhereAnotherClaimHasTheName() throws ApiException {
        claims.put(new ClaimRef(REF.name(), DraSpecimens.ref("other").uid()), DraSpecimens.status(DraSpecimens.DOMAIN));

        Refusal refusal = Refused.of(ReadClaim.of(claims, REF));

        assertThat(refusal.code()).isEqualTo(RefusalCode.CLAIM_REPLACED);
        assertThat(refusal.message()).startsWith("claim team/a got replaced").contains("uid-a", "uid-other");
    }

    @Test
    void namesTheFieldOfAStatusThatItCannotRead() throws ApiException {
        claims.put(REF, "{\"allocation\":7}");

        Refusal refusal = Refused.of(ReadClaim.of(claims, REF));

        assertThat(refusal.code()).isEqualTo(RefusalCode.CLAIM_UNREADABLE);
        assertThat(refusal.message()).contains("status.allocation");
    }

    @Test
    void saysInOneSentenceWhereAClaimIsNestedTooDeeply() throws ApiException {
        String deep = "{\"deep\":" + "[".repeat(1_500) + "]".repeat(1_500) + "}";
        claims.put(
                REF,
                "{\"allocation\":{\"devices\":{\"config\":[{\"source\":\"FromClaim\",\"opaque\":{\"driver\":\"d\","
                        + "\"parameters\":" + deep + "}}]}}}");

        Refusal refusal = Refused.of(ReadClaim.of(claims, REF));

        assertThat(refusal.code()).isEqualTo(RefusalCode.CLAIM_UNREADABLE);
        assertThat(refusal.message())
                .isEqualTo("claim team/a could not be understood:"
                        + " status.allocation.devices.config[0].opaque.parameters.deep is nested more than 200 levels"
                        + " deep; write the opaque parameters in spec.devices.config of the claim or its template"
                        + " without that nesting");
    }

    @Test
    void aStatusThatIsTooLargeIsRefused() throws ApiException {
        claims.put(REF, new Claims.ClaimStatusText.StatusTooLarge(70_000));

        Refusal refusal = Refused.of(ReadClaim.of(claims, REF));
        assertThat(refusal.code()).isEqualTo(RefusalCode.CLAIM_TOO_LARGE);
        assertThat(refusal.message()).contains("team/a", "70000", "65536", "spec.devices.config");
    }

    @Test
    void handsEveryFailureOn() {
        for (ApiFailure.FailureKind kind : ApiFailure.FailureKind.values()) {
            claims.breakFor(REF, FakeClaims.failure(kind, "why, and what to do"));

            assertThatThrownBy(() -> ReadClaim.of(claims, REF))
                    .isInstanceOfSatisfying(
                            ApiException.class,
                            e -> assertThat(e.failure().message()).isEqualTo("why, and what to do"));
        }
    }
}
