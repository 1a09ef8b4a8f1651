package io.imexagent.imex.bind;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The protocol of channels per clique, with the code that runs in agents and controller, over an API server whose calls
 * come late, twice or never: no channel of a clique is ever used for two ComputeDomains, and none leaks.
 */
@Execution(ExecutionMode.CONCURRENT)
class ChannelModelTest {

    private static final int STEPS = 2_000;
    private static final int RUNS = Integer.getInteger("imexagent.model.runs", 600);
    private static final List<CliqueId> CLIQUES = List.of(
            new CliqueId("00000000-0000-0000-0000-000000000001.1"),
            new CliqueId("00000000-0000-0000-0000-000000000001.2"));

    private static final List<DomainName> DOMAINS = IntStream.range(0, 5)
            .mapToObj(number -> new DomainName(new ComputeDomainUid("uid-" + number), "ns-" + number % 2, "d" + number))
            .toList();

    @Test
    void noChannelIsEverUsedForTwoComputeDomainsAndNoneLeaks() {
        long first =
                Long.getLong("imexagent.model.seed", ThreadLocalRandom.current().nextLong());
        for (long seed = first; seed < first + RUNS; seed++) {
            new Run(seed, false).play();
        }
    }

    /**
     * The double uses that the damage itself made are known; agents make no more that they could see, and each is told. Once
     * they have ended, and the tables cover all that is used, there are none again.
     */
    @Test
    void whateverSomebodyDoesToATableAgentsBreakNothingFurtherAndAllIsMendedOrReported() {
        long first =
                Long.getLong("imexagent.model.seed", ThreadLocalRandom.current().nextLong());
        for (long seed = first; seed < first + RUNS; seed++) {
            try {
                new Run(seed, true).play();
            } catch (AssertionError broken) {
                throw new AssertionError("seed " + seed + ": " + broken.getMessage(), broken);
            }
        }
    }

    private static final class Run {
        private final long seed;
        private final boolean damaging;

        /** Whether a channel may be used twice since the last damage. */
        private boolean damaged;

        /** For so many steps no controller comes to mend. */
        private int unattended;

        private final SplittableRandom random;
        private final FabricModelServer server = new FabricModelServer();
        private final ModelNetwork network;
        private final List<ModelHost> hosts = new ArrayList<>();
        private final List<ModelController> controllers;

        Run(long seed, boolean damaging) {
            this.seed = seed;
            this.damaging = damaging;
            this.random = new SplittableRandom(seed);
            this.network = new ModelNetwork(random);
            this.controllers = List.of(new ModelController(server, network), new ModelController(server, network));
            for (int host = 0; host < 4; host++) {
                hosts.add(new ModelHost("node-" + host, CLIQUES.get(host / 3), server, network));
            }
        }

        void play() {
            for (int step = 0; step < STEPS; step++) {
                if (damaging && random.nextInt(200) == 0) {
                    damage();
                } else if (damaged && random.nextInt(150) == 0) {
                    mend();
                }
                step();
                if (!damaged) {
                    isolated();
                }
            }
            if (damaging) {
                mendedOrReported();
            }
            quiet();
        }

        private void step() {
            ModelHost host = hosts.get(random.nextInt(hosts.size()));
            DomainName domain = DOMAINS.get(random.nextInt(DOMAINS.size()));
            CliqueId clique = CLIQUES.get(random.nextInt(CLIQUES.size()));
            ModelController controller = controllers.get(random.nextInt(controllers.size()));
            int chance = random.nextInt(1_000);
            unattended--;
            if (chance < 20) {
                host.compare();
            } else if (chance < 480) {
                network.step();
            } else if (chance < 500) {
                host.watch();
            } else if (chance < 660) {
                host.step();
            } else if (chance < 740) {
                if (unattended <= 0) {
                    controller.look(clique);
                }
            } else if (chance < 800) {
                host.prepare(domain);
            } else if (chance < 880) {
                host.unprepare(random.nextInt(100));
            } else if (chance < 920) {
                host.giveUp(domain);
            } else if (chance < 960) {
                host.start();
            } else if (chance < 975) {
                host.crash();
            } else if (chance < 985) {
                controller.crash();
            } else if (chance < 988) {
                host.breakCheckpoint();
            } else if (chance < 990) {
                host.reboot();
            } else if (chance < 998) {
                host.move(Optional.of(clique).filter(known -> random.nextInt(3) > 0));
            } else if (chance < 999) {
                vanish(host);
            } else if (random.nextBoolean()) {
                server.olderPolicy(random.nextBoolean());
            } else {
                server.touch(host.name());
            }
        }

        private void damage() {
            FabricModelServer.Damage[] all = FabricModelServer.Damage.values();
            server.damage(CLIQUES.get(random.nextInt(CLIQUES.size())), all[random.nextInt(all.length)], random);
            damaged = true;
            unattended = random.nextInt(150);
        }

        /**
         * An operator ends what the table does not give to its user, and empties nodes that hold what is another's there. Then
         * the tables cover all that is used, and until the next damage no channel may be used twice again.
         */
        private void mend() {
            settle();
            hosts.stream().filter(this::isInConflict).forEach(host -> host.end(use -> !isGiven(use)));
            settle();
            hosts.forEach(host -> host.uses()
                    .forEach(use -> assertThat(isGiven(use))
                            .as("%s of %s is in %s, seed %d", use, host.name(), server.table(use.clique()), seed)
                            .isTrue()));
            network.fail();
            damaged = false;
        }

        private ChannelTable table(CliqueId clique) {
            return server.table(clique).map(Stored::content).orElse(ChannelTable.EMPTY);
        }

        private boolean isInConflict(ModelHost host) {
            return host.uses().stream().anyMatch(use -> !isGiven(use))
                    || CLIQUES.stream()
                            .flatMap(clique -> table(clique).conflicts(server.nodesOf(clique)).stream())
                            .anyMatch(found -> found.user().by().equals(host.name()));
        }

        private boolean isGiven(ModelHost.Use use) {
            return Optional.ofNullable(table(use.clique()).entries().get(use.channel()))
                    .filter(entry -> entry.domain().equals(use.domain()))
                    .isPresent();
        }

        /** All calls arrive, and agents and a controller do what is left to do. */
        private void settle() {
            network.heal();
            hosts.forEach(ModelHost::start);
            for (int round = 0; round < 12; round++) {
                hosts.forEach(ModelHost::watch);
                hosts.forEach(ModelHost::step);
                network.heal();
                CLIQUES.forEach(clique -> {
                    controllers.getFirst().crash();
                    controllers.getFirst().look(clique);
                    network.heal();
                });
            }
        }

        /** Once all calls have arrived, what the table does not give to its user is a conflict, and both sides say so. */
        private void mendedOrReported() {
            network.heal();
            hosts.stream().filter(ModelHost::broken).forEach(ModelHost::reboot);
            settle();
            hosts.forEach(ModelHost::compare);
            network.heal();
            hosts.forEach(host -> host.uses()
                    .forEach(use -> host.clique().ifPresent(in -> {
                        ChannelTable table = table(in);
                        boolean conflict = table.conflicts(server.nodesOf(in)).stream()
                                .anyMatch(found -> found.user().by().equals(host.name())
                                        && found.user().id().equals(use.channel())
                                        && found.user().domain().equals(use.domain()));
                        boolean given = Optional.ofNullable(table.entries().get(use.channel()))
                                .filter(entry -> entry.domain().equals(use.domain()))
                                .isPresent();
                        assertThat(given ^ conflict)
                                .as("%s of %s in %s with %s, seed %d", use, host.name(), in, table, seed)
                                .isTrue();
                        assertThat(host.reports(use))
                                .as("%s of %s says so, seed %d", use, host.name(), seed)
                                .isEqualTo(conflict);
                    })));
        }

        /** The host is gone for good, and its Node; another one comes in its place. */
        private void vanish(ModelHost host) {
            host.reboot();
            server.node(host.name()).ifPresent(seen -> server.delete(host.name(), seen.version()));
        }

        private void isolated() {
            Map<Object, DomainName> owners = new HashMap<>();
            for (ModelHost host : hosts) {
                for (ModelHost.Use use : host.uses()) {
                    DomainName other = owners.putIfAbsent(List.of(use.clique(), use.channel()), use.domain());
                    assertThat(other == null || other.equals(use.domain()))
                            .as(
                                    "channel %s of %s is used for %s and %s, seed %d",
                                    use.channel(), use.clique(), other, use.domain(), seed)
                            .isTrue();
                }
            }
        }

        /** All pods end, all calls arrive, and watches tell what they left: nothing may be left. */
        private void quiet() {
            network.heal();
            hosts.stream().filter(ModelHost::broken).forEach(ModelHost::reboot);
            hosts.forEach(ModelHost::start);
            hosts.forEach(host -> host.move(host.home()));
            hosts.forEach(ModelHost::drain);
            hosts.forEach(ModelHost::watch);
            network.heal();
            for (int round = 0; round < 12; round++) {
                hosts.forEach(ModelHost::step);
                network.heal();
            }
            for (int round = 0; round < 4; round++) {
                CLIQUES.forEach(clique -> {
                    controllers.getFirst().crash();
                    controllers.getFirst().look(clique);
                    network.heal();
                });
            }
            for (CliqueId clique : CLIQUES) {
                assertThat(server.table(clique).map(table -> table.content().entries()))
                        .as("what is left of %s, seed %d", clique, seed)
                        .satisfiesAnyOf(
                                left -> assertThat(left).isEmpty(),
                                left -> assertThat(left.orElseThrow()).isEmpty());
            }
            // A workload that comes then finds its channel.
            hosts.forEach(host -> host.prepare(DOMAINS.getFirst()));
            for (int round = 0; round < 12; round++) {
                hosts.forEach(ModelHost::step);
                network.heal();
                CLIQUES.forEach(clique -> controllers.getFirst().look(clique));
                network.heal();
            }
            assertThat(hosts)
                    .as("seed %d", seed)
                    .allSatisfy(host -> assertThat(host.uses()).hasSize(1));
        }
    }
}
