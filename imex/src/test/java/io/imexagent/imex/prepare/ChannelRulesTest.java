package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.claim.Specimens;
import io.imexagent.imex.fake.FakeInventory;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ComputeDomains.DomainRef;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which ComputeDomain a claim is read with. */
class ChannelRulesTest {

    private static final ClaimRef REF = Specimens.ref("a");
    private static final ComputeDomainUid UID = new ComputeDomainUid(Specimens.DOMAIN);

    private final FakeDomains domains = new FakeDomains();

    @Test
    void takesADomainThatTheWatchKnowsFromItsCache() throws ApiException {
        domains.watch(Specimens.DOMAIN, "team");

        assertThat(shared()).isEqualTo(found("team"));
        assertThat(domains.reads()).isZero();
    }

    @Test
    void confirmsADomainThatTheWatchDoesNotKnowByALiveRead() throws ApiException {
        domains.serve(Specimens.DOMAIN, "other");

        assertThat(shared()).isEqualTo(found("other"));
        assertThat(domains.reads()).isEqualTo(1);
    }

    @Test
    void trustsTheCacheOnlyWhileItsWatchStands() throws ApiException {
        domains.watch(Specimens.DOMAIN, "team");
        domains.breakWatch(Optional.of(FakeClaims.failure(ApiFailure.Kind.FORBIDDEN, "the rule to watch is gone")));

        assertThat(shared()).as("deleted while nobody watched").isEqualTo(Optional.empty());

        domains.serve(Specimens.DOMAIN, "other");
        assertThat(shared()).isEqualTo(found("other"));
        domains.fail(Optional.of(FakeClaims.failure(ApiFailure.Kind.UNREACHABLE, "why, and what to do")));
        assertThatThrownBy(this::shared).hasMessageContaining("why, and what to do");
        domains.breakWatch(Optional.empty());
        assertThat(shared()).isEqualTo(found("team"));
    }

    @Test
    void readsTheDomainOfAChannelOfItsOwnOnceWhateverTheWatchHas() throws ApiException {
        domains.watch(Specimens.DOMAIN, "team", 5);
        domains.serve(Specimens.DOMAIN, "team", 5);

        assertThat(isolated()).isEqualTo(found(5));
        assertThat(domains.reads()).isEqualTo(1);
        assertThat(domains.lists()).isZero();
    }

    @Test
    void grantsNoChannelFromAWatchThatIsDeadWithoutHavingFailed() throws ApiException {
        domains.watch(Specimens.DOMAIN, "team", 5);
        domains.serve(Specimens.DOMAIN, "team", 7);
        assertThat(isolated()).as("the channel is another's by now").isEqualTo(found(7));

        domains.serve(Specimens.DOMAIN, "team");
        assertThat(isolated()).as("it was released").isEqualTo(found("team"));

        domains.remove(Specimens.DOMAIN);
        domains.watch(Specimens.DOMAIN, "team", 5);
        assertThat(isolated()).as("the ComputeDomain is gone").isEqualTo(Optional.empty());
        domains.fail(Optional.of(FakeClaims.failure(ApiFailure.Kind.UNREACHABLE, "why, and what to do")));
        assertThatThrownBy(this::isolated).hasMessageContaining("why, and what to do");
    }

    @Test
    void tellsThatTheServerHasTheDomainAsBeingDeletedWhateverTheWatchHas() throws ApiException {
        domains.watch(Specimens.DOMAIN, "team", 5);
        domains.serveDeleting(Specimens.DOMAIN, "team", 5);

        assertThat(isolated())
                .isEqualTo(Optional.of(new DomainRef(UID, "team", "domain", Optional.of(new ChannelId(5)), true)));
    }

    @Test
    void findsTheChannelThatTheWatchHasNotToldYet() throws ApiException {
        domains.watch(Specimens.DOMAIN, "team");
        domains.serve(Specimens.DOMAIN, "team", 5);

        assertThat(isolated()).isEqualTo(found(5));
        assertThat(domains.reads()).isEqualTo(1);
    }

    @Test
    void looksForADomainThatTheWatchDoesNotKnowYetByItsUid() throws ApiException {
        domains.serve(Specimens.DOMAIN, "team", 5);

        assertThat(isolated()).isEqualTo(found(5));
        assertThat(domains.lists()).isEqualTo(1);
    }

    @Test
    void asksNobodyAboutChannelZero() throws ApiException {
        domains.watch(Specimens.DOMAIN, "team", 7);

        assertThat(shared()).isEqualTo(found(7));
        assertThat(domains.reads()).isZero();
    }

    @Test
    void tellsADomainMissingOnlyWhenTheServerSaysSo() throws ApiException {

        assertThat(shared()).isEqualTo(Optional.empty());

        for (ApiFailure.Kind kind : ApiFailure.Kind.values()) {
            domains.fail(Optional.of(FakeClaims.failure(kind, "why, and what to do")));
            assertThatThrownBy(this::shared).hasMessageContaining("why, and what to do");
        }
    }

    @Test
    void asksForNoDomainWhereTheClaimNamesNone() throws ApiException {
        assertThat(rules(Isolation.NONE).read(REF, Specimens.decoded("{}")).refusal())
                .map(Refusal::code)
                .contains(RefusalCode.NOT_ALLOCATED);
        assertThat(domains.reads()).isZero();
    }

    private Optional<DomainRef> shared() throws ApiException {
        return read(Isolation.NONE, Specimens.status(Specimens.DOMAIN));
    }

    private Optional<DomainRef> isolated() throws ApiException {
        return read(Isolation.IMEX_CHANNEL, Specimens.status(Specimens.DOMAIN, 5, Optional.empty()));
    }

    private Optional<DomainRef> read(Isolation isolation, String status) throws ApiException {
        return rules(isolation)
                .read(REF, Specimens.decoded(status))
                .toOptional()
                .orElseThrow()
                .domain();
    }

    private ChannelRules rules(Isolation isolation) {
        return new ChannelRules(
                domains, new FakeInventory(Inventories.gb200()), new ServingPolicy(Specimens.NODE, isolation, false));
    }

    private static Optional<DomainRef> found(String namespace) {
        return Optional.of(new DomainRef(UID, namespace, "domain"));
    }

    private static Optional<DomainRef> found(int channel) {
        return Optional.of(new DomainRef(UID, "team", "domain", Optional.of(new ChannelId(channel))));
    }
}
