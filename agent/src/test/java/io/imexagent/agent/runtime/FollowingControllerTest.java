package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.agent.config.ConfigSources;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.agent.fake.Configs;
import io.imexagent.core.check.Condition;
import io.imexagent.worker.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A controller whose configuration is changed under it. No loop runs: the test looks. */
class FollowingControllerTest {

    private static final String SERVING = "featureGates: {HostManagedIMEX: true}\nimex: {isolation: None}\n";

    private final List<String> log = new CopyOnWriteArrayList<>();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Logger logger = Logger.getLogger(FollowingController.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            log.add(entry.getLevel() + " " + new SimpleFormatter().formatMessage(entry));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @TempDir
    Path folder;

    private Optional<FollowingController> running = Optional.empty();

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        logger.addHandler(handler);
    }

    @AfterEach
    void stop() throws InterruptedException {
        logger.removeHandler(handler);
        if (running.isPresent()) {
            running.get().stop(Deadline.in(Duration.ofSeconds(30), System::nanoTime));
        }
    }

    @Test
    void anIdleControllerBeginsToWorkOnceTheFileSaysSo() throws Exception {
        FollowingController following = start("");
        assertThat(conditions(following)).contains("idle");

        write(SERVING);
        following.check();
        assertThat(conditions(following)).as("the file may still be written").contains("idle");
        following.check();

        assertThat(conditions(following)).contains("listed", "election").doesNotContain("idle");
        assertThat(log)
                .contains(
                        "INFO configuration reloaded change=\"featureGates.HostManagedIMEX false -> true\"",
                        "INFO configuration reloaded change=\"imex.isolation (unset) -> None\"");
    }

    @Test
    void aFileWithFaultsLeavesItAsItIsUntilTheyAreMended() throws Exception {
        FollowingController following = start("");

        write("featureGates: {HostManagedIMEX: true}\n");
        following.check();
        following.check();
        following.check();

        assertThat(conditions(following)).contains("idle");
        assertThat(log).singleElement().asString().contains("not reloaded", "imex.isolation: is not set");

        write(SERVING);
        following.check();
        following.check();
        assertThat(conditions(following)).doesNotContain("idle");
    }

    @Test
    void aControllerThatWorksNamesWhatWaitsForARestart() throws Exception {
        FollowingController following = start(SERVING);
        RunningController before = following.controller();

        write("featureGates: {HostManagedIMEX: true}\nimex: {isolation: IMEXChannel}\nlog: {level: warn}\n");
        following.reload();

        assertThat(following.controller()).isSameAs(before);
        assertThat(before.readiness())
                .contains(new Condition("configuration", true, "waits for a restart: imex.isolation"));
        assertThat(log)
                .contains(
                        "INFO configuration reloaded change=\"log.level info -> warn\"",
                        "WARNING configuration change waits for a restart change=\"imex.isolation None -> IMEXChannel\"");

        write(SERVING);
        following.reload();
        assertThat(before.readiness()).contains(new Condition("configuration", true, "in force"));
    }

    @Test
    void aReloadThatChangesNothingSaysSo() throws Exception {
        FollowingController following = start(SERVING);

        following.reload();
        write("# of agents, not of controllers\nrdma: {enabled: true}\n" + SERVING);
        following.reload();

        assertThat(log)
                .containsOnly("INFO configuration loaded again, nothing has changed")
                .hasSize(2);
    }

    @Test
    void aChangeUnderWhichItCannotStartEndsIt() throws Exception {
        FollowingController following = start("");

        write("http: {tls: {certificate: /nonexistent/tls.crt, key: /nonexistent/tls.key}}\n");
        following.reload();

        assertThat(ended).isTrue();
        assertThat(log).last().asString().contains("SEVERE the controller ends", "/nonexistent/tls.crt");
    }

    private FollowingController start(String settings) throws IOException, InterruptedException {
        write(settings);
        var process = new ThisProcess("1.2.3", "0123abc", Map.of(), Clock.systemUTC(), System::nanoTime, () -> 0.5);
        var following = switch (load()) {
            case LoadResult.LoadedConfig(AgentConfig effective) ->
                new FollowingController(effective, process, this::load, () -> ended.set(true));
            case LoadResult.FaultyConfig<?> faulty -> throw new IllegalArgumentException(faulty.toString());
        };
        running = Optional.of(following);
        following.controller().start();
        return following;
    }

    private LoadResult<AgentConfig> load() {
        var environment = Map.of(
                "IMEX_AGENT_CONFIG",
                folder.resolve("config.yaml").toString(),
                "IMEX_AGENT_CONTROLLER_KUBECONFIG",
                folder.resolve("controller.conf").toString(),
                "IMEX_AGENT_CONTROLLER_PORT",
                "0",
                "IMEX_AGENT_HTTP_ADDRESS",
                "127.0.0.1");
        return new ConfigLoader(environment, Configs.root()).load(new ConfigSources(Optional.empty(), Map.of()));
    }

    private void write(String settings) throws IOException {
        Files.writeString(folder.resolve("config.yaml"), settings);
    }

    private static List<String> conditions(FollowingController following) {
        return following.controller().readiness().stream().map(Condition::name).toList();
    }
}
