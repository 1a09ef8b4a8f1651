package io.imexagent.e2e.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.policy.Isolation;
import io.imexagent.e2e.bench.DomainLoad;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the controller asks of an API server with 5,000 ComputeDomains. */
class ManyDomainsE2e {

    @TempDir
    Path folder;

    @Test
    void fiveThousandDomainsComeAndGo() throws IOException, InterruptedException {
        try (var world = new ControllerWorld(folder)) {
            var load = new DomainLoad(world.api);
            for (int number = 1; number <= 5000; number++) {
                load.create(number);
            }
            load.count();
            world.controller(Isolation.NONE);
            DomainLoad.await(() -> load.allReady(5000));
            assertThat(load.calls()).isEqualTo(3 * 5000 + ControllerWorld.OPENING + 1);
            load.count();

            for (int number = 1; number <= 5000; number++) {
                load.delete(number);
            }
            DomainLoad.await(() -> load.allGone(5000, 0));

            assertThat(load.calls()).isLessThanOrEqualTo(3 * 5000);
        }
    }
}
