package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.claim.ReadClaim;
import io.imexagent.imex.fake.FakeInventory;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.prepare.PreparePlanner.ChannelClaim;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ComputeDomains.DomainRef;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.clique.DomainName;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which ComputeDomain a claim is read with, what that costs, and for which a channel is looked for. */
class ChannelRulesTest {

    private static final String TEAM = DraSpecimens.NAMESPACE;
    private static final ClaimRef REF = DraSpecimens.ref("a");
    private static final Map<String, String> NOTED = Map.of(DriverNames.DOMAIN_ANNOTATION, "train");
    private static final String OWNED =
            DraSpecimens.status(DraSpecimens.channelConfig(DraSpecimens.DOMAIN, "Single"), ServingPolicy.CHANNEL);
    private static final String ANOTHER = "5d1c5c6e-0000-4000-8000-0000000000ff";

    private final FakeDomains domains = new FakeDomains();
    private final FakeChannels channels = new FakeChannels();
    private final FakeInventory inventory = new FakeInventory(Inventories.gb200());
    private final AtomicLong clock = new AtomicLong(-5);
    private final ChannelRules sharing = rules(Isolation.NONE);
    private final ChannelRules isolating = rules(Isolation.IMEX_CHANNEL);

    @Test
    void readsTheDomainByTheNameThatTheClaimNotes() throws Exception {
        domains.serve(DraSpecimens.DOMAIN, TEAM, "train", false);

        assertThat(shared(NOTED)).contains(domain("train", false));
        assertThat(owned(NOTED)).contains(domain("train", false));
        assertThat(domains.reads()).isEqualTo(2);
        assertThat(domains.lists()).isZero();
    }

    @Test
    void aClaimOfChannelZeroNamesItsDomainForTheReport() throws Exception {
        domains.serve(DraSpecimens.DOMAIN, TEAM, "train", false);

        shared(NOTED);
        owned(NOTED);

        assertThat(channels.named())
                .containsExactly(new DomainName(new ComputeDomainUid(DraSpecimens.DOMAIN), TEAM, "train"));
    }

    @Test
    void looksForADomainWhoseNameNobodyNotedAmongThoseOfTheNamespace() throws Exception {
        domains.serve(DraSpecimens.DOMAIN, TEAM, "train", false);

        assertThat(shared(Map.of())).contains(domain("train", false));
        assertThat(owned(Map.of("example.com/compute-domain", "train"))).contains(domain("train", false));
        assertThat(domains.reads()).isZero();
        assertThat(domains.lists()).isEqualTo(2);
    }

    @Test
    void aNameCountsOnlyWhereTheDomainHasTheUidOfTheClaim() throws Exception {
        domains.serve(ANOTHER, TEAM, "train", false);
        assertThat(owned(NOTED)).as("another's").isEmpty();

        domains.serve(DraSpecimens.DOMAIN, TEAM, "renamed", false);
        assertThat(owned(NOTED)).contains(domain("renamed", false));
        assertThat(domains.reads()).isEqualTo(2);
        assertThat(domains.lists()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "../../nodes/node-1", "train/status", "train?x=y", "Train", "train\n"})
    void whatIsNoNameIsNotAskedFor(String noted) throws Exception {
        domains.serve(DraSpecimens.DOMAIN, TEAM, noted, false);

        assertThat(owned(Map.of(DriverNames.DOMAIN_ANNOTATION, noted))).contains(domain(noted, false));
        assertThat(domains.reads()).isZero();
        assertThat(domains.lists()).isEqualTo(1);
    }

    @Test
    void aDomainOfAnotherNamespaceIsNotFound() throws Exception {
        domains.serve(DraSpecimens.DOMAIN, "other", "train", false);

        assertThat(shared(NOTED)).isEmpty();
        assertThat(owned(NOTED)).isEmpty();
    }

    @Test
    void remembersTheDomainOfAClaimForChannelZeroForAMinute() throws Exception {
        domains.serve(DraSpecimens.DOMAIN, TEAM, "train", false);
        shared(Map.of());
        domains.remove(DraSpecimens.DOMAIN);

        clock.addAndGet(Duration.ofMinutes(1).toNanos() - 1);
        assertThat(shared(Map.of())).contains(domain("train", false));
        assertThat(shared(NOTED)).contains(domain("train", false));
        assertThat(domains.lists() + domains.reads()).isEqualTo(1);

        clock.incrementAndGet();
        assertThat(shared(Map.of())).isEmpty();
        assertThat(domains.lists()).isEqualTo(2);
    }

    @Test
    void aRememberedDomainIsNotToldToClaimsOfAnotherNamespace() throws Exception {
        domains.serve(DraSpecimens.DOMAIN, "other", "train", false);
        shared("other", DraSpecimens.DOMAIN);

        assertThat(shared(TEAM, DraSpecimens.DOMAIN)).isEmpty();
        assertThat(domains.lists()).isEqualTo(2);
    }

    @Test
    void aDomainThatIsNotFoundIsNotRemembered() throws Exception {
        assertThat(shared(Map.of())).isEmpty();

        domains.serve(DraSpecimens.DOMAIN, TEAM, "train", false);
        assertThat(shared(Map.of())).contains(domain("train", false));
    }

    @Test
    void remembersTheLastDomainsOnly() throws Exception {
        for (int i = 0; i <= 256; i++) {
            domains.serve("domain-" + i, TEAM);
            shared(TEAM, "domain-" + i);
        }

        shared(TEAM, "domain-256");
        shared(TEAM, "domain-1");
        assertThat(domains.lists()).isEqualTo(257);
        shared(TEAM, "domain-0");
        assertThat(domains.lists()).as("the eldest was forgotten").isEqualTo(258);
    }

    @Test
    void aChannelOfItsOwnIsNeverGrantedToADomainFromMemory() throws Exception {
        domains.serve(DraSpecimens.DOMAIN, TEAM, "train", false);
        owned(NOTED);

        domains.serve(DraSpecimens.DOMAIN, TEAM, "train", true);
        assertThat(owned(NOTED)).as("its deletion has begun").contains(domain("train", true));
        domains.remove(DraSpecimens.DOMAIN);
        assertThat(owned(NOTED)).as("it is gone").isEmpty();
        domains.fail(Optional.of(FakeClaims.failure(ApiFailure.FailureKind.UNREACHABLE, "why, and what to do")));
        assertThatThrownBy(() -> owned(NOTED)).hasMessageContaining("why, and what to do");
        assertThat(channels.binds()).hasSize(1);
    }

    @Test
    void tellsADomainMissingOnlyWhenTheServerSaysSo() {
        for (ApiFailure.FailureKind kind : ApiFailure.FailureKind.values()) {
            domains.fail(Optional.of(FakeClaims.failure(kind, "why, and what to do")));
            assertThatThrownBy(() -> shared(Map.of()))
                    .isInstanceOf(ApiException.class)
                    .hasMessageContaining("why, and what to do");
            assertThatThrownBy(() -> owned(NOTED)).isInstanceOf(ApiException.class);
        }
    }

    @Test
    void asksForNoDomainWhereTheClaimNamesNone() throws Exception {
        assertThat(sharing.read(REF, new ReadClaim(DraSpecimens.decoded("{}"), NOTED))
                        .refusal())
                .map(Refusal::code)
                .contains(RefusalCode.NOT_ALLOCATED);
        assertThat(domains.reads() + domains.lists()).isZero();
    }

    @Test
    void looksForAChannelUnderTheNameThatTheServerHas() throws Exception {
        domains.serve(DraSpecimens.DOMAIN, TEAM, "train", false);

        owned(NOTED);

        assertThat(channels.binds())
                .containsExactly(new DomainName(new ComputeDomainUid(DraSpecimens.DOMAIN), TEAM, "train"));
    }

    @Test
    void looksForNoChannelThatNobodyCouldGrant() throws Exception {
        owned(NOTED);
        domains.serve(DraSpecimens.DOMAIN, TEAM, "train", true);
        owned(NOTED);
        domains.serve(DraSpecimens.DOMAIN, TEAM, "train", false);
        shared(NOTED);
        inventory.set(Inventories.with(Inventories.gb200(), new CliqueState.NoClique("no GPU")));
        owned(NOTED);

        assertThat(channels.binds()).isEmpty();
    }

    @Test
    void aChannelOfACliqueThatTheNodeHasLeftIsNotGranted() throws Exception {
        domains.serve(DraSpecimens.DOMAIN, TEAM, "train", false);
        ChannelClaim claim = claim(isolating, REF, OWNED, NOTED);
        Ledger ledger = Ledger.empty(Inventories.gb200().bootId());
        assertThat(isolating.plan(REF, claim, ledger)).isInstanceOf(Outcome.Accepted.class);

        var another = new CliqueState.KnownClique(new CliqueId("3f2a8b1c-00d4-4e5f-9a6b-7c8d9e0f1a2b.77"));
        inventory.set(Inventories.with(Inventories.gb200(), another));
        assertThat(isolating.plan(REF, claim, ledger).refusal())
                .map(Refusal::code)
                .contains(RefusalCode.HOLD_LOST);

        assertThat(isolating.plan(REF, claim(isolating, REF, OWNED, NOTED), ledger))
                .isInstanceOf(Outcome.Accepted.class);
    }

    private Optional<DomainRef> shared(Map<String, String> annotations) throws Exception {
        return read(sharing, REF, DraSpecimens.status(DraSpecimens.DOMAIN), annotations);
    }

    private Optional<DomainRef> shared(String namespace, String domain) throws Exception {
        var ref = new ClaimRef(new ClaimName(namespace, "a"), REF.uid());
        return read(sharing, ref, DraSpecimens.status(domain), Map.of());
    }

    private Optional<DomainRef> owned(Map<String, String> annotations) throws Exception {
        return read(isolating, REF, OWNED, annotations);
    }

    private static Optional<DomainRef> read(
            ChannelRules rules, ClaimRef ref, String status, Map<String, String> annotations) throws Exception {
        return claim(rules, ref, status, annotations).domain();
    }

    private static ChannelClaim claim(ChannelRules rules, ClaimRef ref, String status, Map<String, String> annotations)
            throws Exception {
        return rules.read(ref, new ReadClaim(DraSpecimens.decoded(status), annotations))
                .toOptional()
                .orElseThrow();
    }

    private ChannelRules rules(Isolation isolation) {
        return new ChannelRules(
                domains,
                inventory,
                NodeSpecimens.policy(DraSpecimens.NODE, isolation, false),
                channels,
                FakePods.UNREAD,
                clock::get);
    }

    private static DomainRef domain(String name, boolean deleting) {
        return new DomainRef(new ComputeDomainUid(DraSpecimens.DOMAIN), TEAM, name, deleting);
    }
}
