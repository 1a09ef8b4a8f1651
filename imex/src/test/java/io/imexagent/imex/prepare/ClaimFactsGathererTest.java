package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.policy.Isolation;
import io.imexagent.dra.claim.ClaimFacts.ClaimLookup;
import io.imexagent.dra.claim.ClaimFacts.DomainLookup;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.claim.Gathered;
import io.imexagent.dra.claim.Specimens;
import io.imexagent.kubernetes.ApiFailure;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClaimFactsGathererTest {

    private static final ClaimRef REF = Specimens.ref("a");

    private final FakeClaims claims = new FakeClaims();
    private final FakeDomains domains = new FakeDomains();
    private final ClaimFactsGatherer gatherer = new ClaimFactsGatherer(
            claims,
            domains,
            new DemandReader(new ServingPolicy(Specimens.NODE, Isolation.NONE, false), new OpaqueConfigDecoder()));

    private final ClaimFactsGatherer isolated = new ClaimFactsGatherer(
            claims,
            domains,
            new DemandReader(
                    new ServingPolicy(Specimens.NODE, Isolation.IMEX_CHANNEL, false), new OpaqueConfigDecoder()));

    @Test
    void findsClaimAndDomainWithOneReadWhereTheWatchKnowsTheDomain() {
        claims.put(REF, Specimens.status(Specimens.DOMAIN));
        domains.watch(Specimens.DOMAIN, "team");

        Gathered gathered = gatherer.gather(REF);

        assertThat(gathered.facts().claim())
                .isEqualTo(new ClaimLookup.Found(Specimens.decoded(Specimens.status(Specimens.DOMAIN))));
        assertThat(gathered.facts().domain()).isEqualTo(new DomainLookup.Found("team", "domain"));
        assertThat(claims.reads()).isEqualTo(1);
        assertThat(domains.reads()).isZero();
    }

    @Test
    void confirmsADomainThatTheWatchDoesNotKnowByALiveRead() {
        claims.put(REF, Specimens.status(Specimens.DOMAIN));
        domains.serve(Specimens.DOMAIN, "other");

        assertThat(gatherer.gather(REF).facts().domain()).isEqualTo(new DomainLookup.Found("other", "domain"));
        assertThat(domains.reads()).isEqualTo(1);
    }

    @Test
    void trustsTheCacheOnlyWhileItsWatchStands() {
        claims.put(REF, Specimens.status(Specimens.DOMAIN));
        domains.watch(Specimens.DOMAIN, "team");
        domains.breakWatch(Optional.of(FakeClaims.failure(ApiFailure.Kind.FORBIDDEN, "the rule to watch is gone")));

        assertThat(gatherer.gather(REF).facts().domain())
                .as("deleted while nobody watched")
                .isEqualTo(new DomainLookup.Missing());

        domains.serve(Specimens.DOMAIN, "other");
        assertThat(gatherer.gather(REF).facts().domain()).isEqualTo(new DomainLookup.Found("other", "domain"));
        domains.fail(Optional.of(FakeClaims.failure(ApiFailure.Kind.UNREACHABLE, "why, and what to do")));
        assertThat(gatherer.gather(REF).facts().domain()).isEqualTo(new DomainLookup.Failed("why, and what to do"));
        domains.breakWatch(Optional.empty());
        assertThat(gatherer.gather(REF).facts().domain()).isEqualTo(new DomainLookup.Found("team", "domain"));
    }

    @Test
    void readsTheDomainOfAChannelOfItsOwnOnceWhateverTheWatchHas() {
        claims.put(REF, Specimens.status(Specimens.DOMAIN, 5, Optional.empty()));
        domains.watch(Specimens.DOMAIN, "team", 5);
        domains.serve(Specimens.DOMAIN, "team", 5);

        assertThat(isolated.gather(REF).facts().domain()).isEqualTo(found(5));
        assertThat(domains.reads()).isEqualTo(1);
        assertThat(domains.lists()).isZero();
    }

    @Test
    void grantsNoChannelFromAWatchThatIsDeadWithoutHavingFailed() {
        claims.put(REF, Specimens.status(Specimens.DOMAIN, 5, Optional.empty()));
        domains.watch(Specimens.DOMAIN, "team", 5);
        domains.serve(Specimens.DOMAIN, "team", 7);
        assertThat(isolated.gather(REF).facts().domain())
                .as("the channel is another's by now")
                .isEqualTo(found(7));

        domains.serve(Specimens.DOMAIN, "team");
        assertThat(isolated.gather(REF).facts().domain())
                .as("it was released")
                .isEqualTo(new DomainLookup.Found("team", "domain"));

        domains.remove(Specimens.DOMAIN);
        domains.watch(Specimens.DOMAIN, "team", 5);
        assertThat(isolated.gather(REF).facts().domain())
                .as("the ComputeDomain is gone")
                .isEqualTo(new DomainLookup.Missing());
        domains.fail(Optional.of(FakeClaims.failure(ApiFailure.Kind.UNREACHABLE, "why, and what to do")));
        assertThat(isolated.gather(REF).facts().domain()).isEqualTo(new DomainLookup.Failed("why, and what to do"));
    }

    @Test
    void tellsThatTheServerHasTheDomainAsBeingDeletedWhateverTheWatchHas() {
        claims.put(REF, Specimens.status(Specimens.DOMAIN, 5, Optional.empty()));
        domains.watch(Specimens.DOMAIN, "team", 5);
        domains.serveDeleting(Specimens.DOMAIN, "team", 5);

        assertThat(isolated.gather(REF).facts().domain())
                .isEqualTo(new DomainLookup.Found("team", "domain", Optional.of(new ChannelId(5)), true));
    }

    @Test
    void findsTheChannelThatTheWatchHasNotToldYet() {
        claims.put(REF, Specimens.status(Specimens.DOMAIN, 5, Optional.empty()));
        domains.watch(Specimens.DOMAIN, "team");
        domains.serve(Specimens.DOMAIN, "team", 5);

        assertThat(isolated.gather(REF).facts().domain()).isEqualTo(found(5));
        assertThat(domains.reads()).isEqualTo(1);
    }

    @Test
    void looksForADomainThatTheWatchDoesNotKnowYetByItsUid() {
        claims.put(REF, Specimens.status(Specimens.DOMAIN, 5, Optional.empty()));
        domains.serve(Specimens.DOMAIN, "team", 5);

        assertThat(isolated.gather(REF).facts().domain()).isEqualTo(found(5));
        assertThat(domains.lists()).isEqualTo(1);
    }

    @Test
    void asksNobodyAboutChannelZero() {
        claims.put(REF, Specimens.status(Specimens.DOMAIN));
        domains.watch(Specimens.DOMAIN, "team", 7);

        assertThat(gatherer.gather(REF).facts().domain()).isEqualTo(found(7));
        assertThat(domains.reads()).isZero();
    }

    private static DomainLookup found(int channel) {
        return new DomainLookup.Found("team", "domain", Optional.of(new ChannelId(channel)));
    }

    @Test
    void tellsADomainMissingOnlyWhenTheServerSaysSo() {
        claims.put(REF, Specimens.status(Specimens.DOMAIN));

        assertThat(gatherer.gather(REF).facts().domain()).isEqualTo(new DomainLookup.Missing());

        for (ApiFailure.Kind kind : ApiFailure.Kind.values()) {
            domains.fail(Optional.of(FakeClaims.failure(kind, "why, and what to do")));
            assertThat(gatherer.gather(REF).facts().domain()).isEqualTo(new DomainLookup.Failed("why, and what to do"));
        }
    }

    @Test
    void asksForNoDomainWhereTheClaimNamesNone() {
        claims.put(REF, "{}");

        assertThat(gatherer.gather(REF).facts().domain()).isEqualTo(new DomainLookup.NotAsked());
        assertThat(domains.reads()).isZero();
    }

    @Test
    void tellsAClaimMissingThatIsNotThere() {
        assertThat(gatherer.gather(REF).facts().claim()).isEqualTo(new ClaimLookup.Missing());
    }

    @Test
    void tellsAClaimReplacedThatHasAnotherUid() {
        claims.put(new ClaimRef(REF.name(), Specimens.ref("other").uid()), Specimens.status(Specimens.DOMAIN));

        assertThat(gatherer.gather(REF).facts().claim()).isEqualTo(new ClaimLookup.Replaced("uid-other"));
    }

    @Test
    void namesTheFieldOfAStatusThatItCannotRead() {
        claims.put(REF, "{\"allocation\":7}");

        assertThat(gatherer.gather(REF).facts().claim())
                .isInstanceOfSatisfying(
                        ClaimLookup.Unreadable.class,
                        unreadable -> assertThat(unreadable.reason()).contains("status.allocation"));
    }

    @ParameterizedTest
    @EnumSource(ApiFailure.Kind.class)
    void handsEveryFailureOn(ApiFailure.Kind kind) {
        claims.breakFor(REF, FakeClaims.failure(kind, "why, and what to do"));

        assertThat(gatherer.gather(REF).facts().claim()).isEqualTo(new ClaimLookup.Failed("why, and what to do"));
    }

    @Test
    void handsOnHowLongTheServerWantsToRest() {
        claims.breakFor(REF, FakeClaims.throttled(Duration.ofSeconds(7)));

        assertThat(gatherer.gather(REF).restFor()).isEqualTo(Duration.ofSeconds(7));
    }
}
