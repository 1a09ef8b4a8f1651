package io.imexagent.e2e.controller;

import static io.imexagent.e2e.controller.ControllerWorld.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.Controller;
import io.imexagent.controller.manifests.Manifests;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import io.imexagent.core.policy.Isolation;
import io.imexagent.testing.api.access.RoleGrant;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rule that the manifests lacked would be found: the double grants by subresource and namespace. */
class ControllerRightsIT {

    @TempDir
    Path folder;

    @Test
    void aRuleForComputeDomainsIsNoneForTheirStatus() throws IOException, InterruptedException {
        List<RoleGrant> rights = ControllerWorld.rights().stream()
                .filter(grant -> grant.subresource().isEmpty())
                .toList();
        try (var world = new ControllerWorld(folder, rights)) {
            world.create("train");
            world.controller(Isolation.NONE);

            await("told", () -> world.reasons().contains("ReconcileFailed"));

            assertThat(world.api
                            .list(ResourceType.EVENTS)
                            .getFirst()
                            .path("message")
                            .asText())
                    .contains("computedomains/status");
            assertThat(world.ready("train")).isFalse();
        }
    }

    @Test
    void aRoleOfAnotherNamespaceIsNoneForTheControllers() throws IOException, InterruptedException {
        var elsewhere =
                new ManifestOptions(true, Isolation.IMEX_CHANNEL, false, "elsewhere", ControllerWorld.USER, false);
        List<RoleGrant> rights = new BoundRules(Manifests.of(elsewhere)).of(ControllerWorld.USER);
        try (var world = new ControllerWorld(folder, rights)) {
            Controller controller = world.controller(Isolation.IMEX_CHANNEL);

            await("refused", () -> world.api.requests().answers().containsKey(403));
            await("told", () -> controller.electionFailure().isPresent());

            assertThat(controller.electionFailure().orElseThrow().message()).contains("leases");
            assertThat(controller.leads()).isFalse();
        }
    }
}
