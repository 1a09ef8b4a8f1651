package io.imexagent.imex.bind;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
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
            new Run(seed).play();
        }
    }

    private static final class Run {
        private final long seed;
        private final SplittableRandom random;
        private final FabricModelServer server = new FabricModelServer();
        private final ModelNetwork network;
        private final List<ModelHost> hosts = new ArrayList<>();
        private final List<ModelController> controllers;

        Run(long seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.network = new ModelNetwork(random);
            this.controllers = List.of(new ModelController(server, network), new ModelController(server, network));
            for (int host = 0; host < 4; host++) {
                hosts.add(new ModelHost("node-" + host, CLIQUES.get(host / 3), server, network));
            }
        }

        void play() {
            for (int step = 0; step < STEPS; step++) {
                step();
                isolated();
            }
            quiet();
        }

        private void step() {
            ModelHost host = hosts.get(random.nextInt(hosts.size()));
            DomainName domain = DOMAINS.get(random.nextInt(DOMAINS.size()));
            CliqueId clique = CLIQUES.get(random.nextInt(CLIQUES.size()));
            ModelController controller = controllers.get(random.nextInt(controllers.size()));
            int chance = random.nextInt(1_000);
            if (chance < 480) {
                network.step();
            } else if (chance < 500) {
                host.watch();
            } else if (chance < 660) {
                host.step();
            } else if (chance < 740) {
                controller.look(clique);
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
            } else {
                server.touch(host.name());
            }
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
