import { once } from "node:events";
import { type AddressInfo, createServer, isIPv6 } from "node:net";
import type { FastifyInstance } from "fastify";

/** A free port. With PORT=0 it must be known before the server is built, since links contain it. */
export async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Throws an Error with one line that says what to do when port or host cannot be used. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      throw new Error(`Port ${port} on ${host} is in use by another program. Stop it, or set PORT to a free one.`);
    if (code === "EACCES")
      throw new Error(`Port ${port} needs more rights than this user has. Set PORT to one above 1023.`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new Error(`HOST ${host} is no address of this machine. Set it to one, such as 127.0.0.1 or 0.0.0.0.`);
    throw error;
  }
}

/** URL at which this process reaches its own listener. */
export function ownAddress(host: string, port: number): string {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}
