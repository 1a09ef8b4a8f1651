package io.imexagent.e2e.page;

import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.AgentSettings;
import io.imexagent.e2e.process.StatusClient;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** An API server double with racks, and a controller as a process that serves their page on loopback. */
public final class PageWorld implements AutoCloseable {

    private final ApiDouble api;
    private final ShownRacks racks;
    private final Path config;
    private final int port;
    private final StatusClient client;
    private AgentProcess controller;

    /** Starts both over what is put into the racks before; its files go to the folder. */
    public PageWorld(Path folder, Consumer<ShownRacks> filling) throws IOException, InterruptedException {
        this(folder, filling, settings -> settings);
    }

    /** The same, with a controller of these settings. */
    public PageWorld(Path folder, Consumer<ShownRacks> filling, UnaryOperator<AgentSettings> settings)
            throws IOException, InterruptedException {
        api = ApiDouble.start(new ApiDoubleOptions().historyWindow(100_000));
        Path kubeconfig = api.writeKubeconfig(folder.resolve("controller.conf"), new Login.TokenLogin("admin"));
        api.apply(
                Json.literal("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"imex-agent\"}}"));
        racks = new ShownRacks(api);
        filling.accept(racks);
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        client = new StatusClient(port);
        config = settings.apply(AgentSettings.ofController(kubeconfig, "IMEXChannel", port))
                .write(folder.resolve("config.yaml"));
        controller = launch();
    }

    private AgentProcess launch() throws IOException, InterruptedException {
        AgentProcess started = AgentLaunch.command("controller", "--config", config.toString())
                .runtimeOptions("-Xmx128m")
                .start();
        started.awaitHttpPort();
        return started;
    }

    public ApiDouble api() {
        return api;
    }

    public ShownRacks racks() {
        return racks;
    }

    /** The configuration, which commands can take too. */
    public Path config() {
        return config;
    }

    public AgentProcess controller() {
        return controller;
    }

    public StatusClient client() {
        return client;
    }

    public String page() {
        return "http://127.0.0.1:" + port + "/racks";
    }

    public void stopController() {
        controller.close();
    }

    /** Starts another controller at the same address. */
    public void startController() throws IOException, InterruptedException {
        controller = launch();
    }

    @Override
    public void close() {
        client.close();
        controller.close();
        api.close();
    }
}
