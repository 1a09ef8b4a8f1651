package io.imexagent.kubernetes.http;

import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.access.AccessSource.Access;
import io.imexagent.kubernetes.json.UnreadableException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** Converts error responses and exceptions into failures with a sentence for people. */
final class ApiFailures {

    /** The prefix of the names of this project's admission policies for agents. */
    private static final String OWN_POLICY = "imex-agent-";

    private ApiFailures() {}

    /** Builds the failure for the code of a response, or of an error event of a watch. */
    static ApiFailure of(
            Caller caller, Call call, Access access, int code, StatusText status, Optional<Duration> retryAfter) {
        String server = server(access);
        String text = status.quoted();
        boolean refused = code == 400 || code == 401 || code == 413 || code == 422;
        Optional<Denial> admission = refused ? status.byAdmission() : Optional.empty();
        if (admission.isPresent() || code == 403) {
            return denied(caller, call, access, admission.orElse(status.denial()), text);
        }
        return switch (code) {
            case 401 ->
                call.failed(
                        FailureKind.UNAUTHORIZED,
                        server + " does not accept the identity of " + access.identity() + text
                                + "; renew it; the new file is read without a restart");
            case 404 -> notFound(call, server, status);
            case 409 -> call.failed(FailureKind.CONFLICT, "another writer was faster" + text);
            case 410 -> call.failed(FailureKind.GONE, "the version asked for is too old" + text);
            case 400, 405, 406, 413, 415, 422 ->
                call.failed(FailureKind.INVALID, "the API server does not take it (HTTP " + code + ")" + text);
            case 429 -> call.failed(FailureKind.THROTTLED, server + " gets too many requests" + text, retryAfter);
            default ->
                code >= 500
                        ? call.failed(
                                FailureKind.SERVER_ERROR, server + " failed (HTTP " + code + ")" + text, retryAfter)
                        : call.failed(
                                FailureKind.UNREADABLE,
                                access.server() + " answers HTTP " + code
                                        + ", which no API server does; check the server's URL and any proxy before it");
        };
    }

    private static String server(Access access) {
        return "the API server " + access.server();
    }

    private static ApiFailure denied(Caller caller, Call call, Access access, Denial denial, String text) {
        String rule = "verb " + call.verb().label() + " on " + call.target().plural() + " in API group \""
                + call.target().group() + "\"";
        boolean agent = caller == Caller.AGENT;
        String rights = "use a kubeconfig whose user has the rules of the ClusterRole " + caller.text();
        return switch (denial) {
            case Denial.NamespaceEnding _ ->
                call.failed(
                        FailureKind.NAMESPACE_ENDING, "its namespace is being deleted, and takes nothing new" + text);
            case Denial.Quota(Optional<String> name) ->
                call.failed(
                        FailureKind.QUOTA,
                        "a ResourceQuota of its namespace allows no more"
                                + name.map(quota -> ": " + quota).orElse("")
                                + "; delete what is not needed there, or raise the quota" + text);
            case Denial.PolicyDenial(String name)
            when name.equals(HttpDeviceReports.POLICY) ->
                call.failed(FailureKind.FORBIDDEN, "the policy " + name + " refuses it" + text);
            case Denial.PolicyDenial(String name)
            when name.startsWith(OWN_POLICY) ->
                call.failed(
                        FailureKind.ADMISSION,
                        "the policy " + name + " refuses it"
                                + (agent
                                        ? "; it keeps an agent to what is its own node's: check that node.name is this"
                                                + " node's name, and apply what imex-agent manifests of this version prints"
                                        : "; apply what imex-agent manifests prints, with --controller-user set to the"
                                                + " user of this kubeconfig")
                                + text);
            case Denial.PolicyDenial(String name) -> admission(caller, call, "the admission policy " + name, text);
            case Denial.Webhook(String name) -> admission(caller, call, "the admission webhook " + name, text);
            case Denial.NodeRestriction _
            when agent ->
                call.failed(
                        FailureKind.ADMISSION,
                        "the admission plugin NodeRestriction lets no node do this; check that node.name is this node's"
                                + " name, and that the kubeconfig is that of this node's own kubelet" + text);
            case Denial.OtherNode(Optional<String> identity)
            when agent ->
                call.failed(
                        FailureKind.OTHER_NODE,
                        "the identity is "
                                + identity.map(node ->
                                                Denial.OF_NODE + node + ", and node.name is another node's: if this"
                                                        + " host is that node, set node.name to " + node)
                                        .orElse("that of another node than node.name: set node.name to the name of this"
                                                + " host's Node")
                                + "; else use the kubeconfig of this node's own kubelet" + text);
            case Denial.NoRelationship _
            when agent ->
                call.failed(
                        FailureKind.NO_RELATIONSHIP,
                        (call.target().plural().equals("resourceclaims")
                                        ? "the API server knows of no pod on this node that uses it"
                                        : "the API server knows of nothing that ties it to this node")
                                + text);
            case Denial.NodeRestriction _, Denial.OtherNode _, Denial.NoRelationship _ ->
                call.failed(
                        FailureKind.FORBIDDEN,
                        "the user of " + access.identity() + " may not do this; " + rights + text);
            case Denial.MissingRule(String user) -> {
                boolean kubelet = user.startsWith(Denial.OF_NODE);
                String whom = kubelet ? "the group system:nodes" : "user " + user;
                yield call.failed(
                        FailureKind.FORBIDDEN,
                        "user " + user + " lacks the " + rule
                                + (kubelet && !agent
                                        ? "; " + rights
                                        : "; bind a ClusterRole with this rule to " + whom + ", as the ClusterRole "
                                                + caller.text() + " has it")
                                + text);
            }
            case Denial.OtherDenial(boolean silent)
            when silent ->
                call.failed(
                        FailureKind.FORBIDDEN,
                        "refused (HTTP 403) without a reason; it needs the " + rule + ", and no proxy before "
                                + access.server() + " that refuses it");
            case Denial.OtherDenial _ -> admission(caller, call, "the API server's admission", text);
        };
    }

    private static ApiFailure admission(Caller caller, Call call, String who, String text) {
        return call.failed(
                FailureKind.ADMISSION,
                who + " refuses it, and no rule is missing; have whoever runs the cluster let " + caller.text()
                        + " do this, or change what it objects to" + text);
    }

    /** Whether a 404 means that the object does not exist, rather than that the server does not know its resource. */
    static boolean saysNone(Call call, StatusText status) {
        return status.aboutObject() && !call.target().name().isEmpty();
    }

    private static ApiFailure notFound(Call call, String server, StatusText status) {
        if (saysNone(call, status)) {
            return call.failed(FailureKind.NOT_FOUND, "there is none" + status.quoted());
        }
        String remedy = switch (call.target().group()) {
            case "resource.nvidia.com" -> "; install the CustomResourceDefinition of ComputeDomains";
            case "resource.k8s.io" -> "; imex-agent needs Kubernetes 1.34 or later";
            default -> "";
        };
        return call.failed(
                FailureKind.NOT_FOUND,
                server + " does not serve " + call.target().label() + remedy + status.quoted());
    }

    static ApiFailure of(Call call, Access access, IOException exception) {
        String server = server(access);
        return switch (exception) {
            case HttpConnectTimeoutException timeout ->
                call.failed(
                        FailureKind.UNREACHABLE,
                        "no connection to " + server + " in time; check the network and that the server runs");
            case HttpTimeoutException timeout -> call.failed(FailureKind.TIMEOUT, server + " gave no answer in time");
            case InterruptedIOException interrupted -> gaveUp(call);
            case UnreadableException unreadable ->
                call.failed(
                        FailureKind.UNREADABLE,
                        "the answer of " + access.server() + " is not what an API server sends ("
                                + unreadable.getMessage() + "); check the server's URL and any proxy before it");
            default ->
                call.failed(
                        FailureKind.UNREACHABLE,
                        ofTls(exception)
                                ? tls(exception, access, server)
                                : server + " cannot be reached (" + words(exception)
                                        + "); check the network and that the server runs");
        };
    }

    static ApiFailure gaveUp(Call call) {
        return call.failed(FailureKind.TIMEOUT, "the caller gave up waiting");
    }

    /** Why something cannot be read, without the message of a parser, which would quote it. */
    static String reason(IOException fault) {
        return fault instanceof UnreadableException
                ? String.valueOf(fault.getMessage())
                : fault.getClass().getSimpleName();
    }

    private static String words(Throwable exception) {
        // These exceptions have no message.
        if (has(exception, UnresolvedAddressException.class)) {
            return "its name is unknown to DNS";
        }
        if (has(exception, ConnectException.class)) {
            return "no connection, nothing listens there";
        }
        String words = exception.getMessage();
        return exception.getClass().getSimpleName() + (words == null ? "" : ": " + words);
    }

    static boolean ofTls(Throwable exception) {
        return has(exception, SSLException.class) || has(exception, CertificateException.class);
    }

    private static String tls(Throwable exception, Access access, String server) {
        if (has(exception, CertificateExpiredException.class)) {
            return "TLS: the certificate of " + server + ", or of its authority, has expired; renew it, or set this"
                    + " host's clock";
        }
        if (has(exception, CertificateNotYetValidException.class)) {
            return "TLS: the certificate of " + server + " is not valid yet; set this host's clock";
        }
        if (has(exception, CertPathBuilderException.class) || has(exception, CertPathValidatorException.class)) {
            return "TLS: the certificate of " + server + " is not signed by the certificate authority in "
                    + access.identity() + "; put the cluster's authority there";
        }
        String text = find(exception, CertificateException.class)
                .map(Throwable::getMessage)
                .or(() -> find(exception, SSLException.class).map(Throwable::getMessage))
                .orElse("no reason given");
        if (text.contains("subject alternative") || text.startsWith("No name matching")) {
            return "TLS: the certificate of " + server + " is not for this name (" + text
                    + "); use a server URL that the certificate names";
        }
        if (text.contains("fatal alert")) {
            return "TLS: " + server + " refused the handshake (" + text + ") with the identity of " + access.identity()
                    + "; where its client certificate has expired or has another authority, renew it";
        }
        return "TLS with " + server + " failed (" + text + ")";
    }

    private static boolean has(Throwable exception, Class<? extends Throwable> type) {
        return find(exception, type).isPresent();
    }

    private static Optional<Throwable> find(Throwable exception, Class<? extends Throwable> type) {
        int depth = 0;
        for (Throwable at = exception; at != null && depth < 20; at = at.getCause(), depth++) {
            if (type.isInstance(at)) {
                return Optional.of(at);
            }
        }
        return Optional.empty();
    }
}
