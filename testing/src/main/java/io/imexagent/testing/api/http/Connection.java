package io.imexagent.testing.api.http;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.Socket;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;

/** One connection of a client: handshake, then request after request until one side ends it. */
final class Connection {
    private static final Logger LOG = System.getLogger(Connection.class.getName());

    private final Socket raw;
    private final Optional<SSLContext> tls;
    private final HttpListener.Handler handler;

    Connection(Socket raw, Optional<SSLContext> tls, HttpListener.Handler handler) {
        this.raw = raw;
        this.tls = tls;
        this.handler = handler;
    }

    void run() {
        try (Socket socket = secured()) {
            Optional<X509Certificate> peer = peerCertificate(socket);
            RequestReader reader = new RequestReader(socket.getInputStream(), socket.getOutputStream());
            OutputStream output = socket.getOutputStream();
            boolean keepAlive = true;
            while (keepAlive) {
                Optional<RequestHead> head = reader.read();
                if (head.isEmpty()) {
                    return;
                }
                Exchange exchange = new Exchange(head.get(), peer, reader, output, this::drop);
                handler.handle(exchange);
                keepAlive = exchange.mayReuseConnection();
            }
        } catch (IOException e) {
            // Clients come and go; a broken connection concerns only the one at its other end, which saw it too.
            LOG.log(Level.DEBUG, "connection ended: {0}", e.toString());
        } finally {
            drop();
        }
    }

    /** Ends the connection without a word: no answer, no TLS close notification. */
    void drop() {
        try {
            raw.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "connection was closed before: {0}", e.toString());
        }
    }

    private Socket secured() throws IOException {
        if (tls.isEmpty()) {
            return raw;
        }
        SSLSocket socket = (SSLSocket) tls.get().getSocketFactory().createSocket(raw, null, true);
        socket.setWantClientAuth(true);
        socket.startHandshake();
        return socket;
    }

    private static Optional<X509Certificate> peerCertificate(Socket socket) {
        if (!(socket instanceof SSLSocket secured)) {
            return Optional.empty();
        }
        try {
            Certificate first = secured.getSession().getPeerCertificates()[0];
            return first instanceof X509Certificate certificate ? Optional.of(certificate) : Optional.empty();
        } catch (SSLPeerUnverifiedException e) {
            // The way in which JSSE says that the client sent no certificate.
            return Optional.empty();
        }
    }
}
