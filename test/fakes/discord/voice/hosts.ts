import type { WebSocket } from 'ws';
import { startVoiceServer, type VoiceServer } from './server.ts';
import { trustVoiceServers, voiceCertificate } from './trust.ts';
import { startUdp, type UdpServer } from './udp.ts';

interface HostOptions {
  /** Asked for each connection: false resets it. */
  readonly admits: () => boolean;
  readonly open: (socket: WebSocket, endpoint: string) => void;
  readonly knows: (ssrc: number) => boolean;
  readonly packet: (ssrc: number, datagram: Buffer) => void;
  readonly loss: (ssrc: number) => void;
}

/** What listens: one voice server for all channels, more for those that move, and one UDP port. */
export class VoiceHosts {
  readonly #options: HostOptions;
  readonly #regions = new Map<string, Promise<VoiceServer>>();
  readonly #servers: Promise<VoiceServer>[] = [];
  #home: Promise<VoiceServer> | undefined;
  #udp: Promise<UdpServer> | undefined;

  constructor(options: HostOptions) {
    this.#options = options;
  }
  get udp(): Promise<UdpServer> {
    this.#udp ??= startUdp(this.#options);
    return this.#udp;
  }
  /** The endpoint of a channel; what is needed for it is started. */
  async endpointOf(channelId: string): Promise<string> {
    this.#home ??= this.#start();
    await this.udp;
    return (await (this.#regions.get(channelId) ?? this.#home)).endpoint;
  }
  /** Another voice server for a channel. */
  move(channelId: string): void {
    this.#regions.set(channelId, this.#start());
  }
  #start(): Promise<VoiceServer> {
    const certificate = voiceCertificate();
    trustVoiceServers(certificate.cert);
    const { admits, open } = this.#options;
    const server = startVoiceServer(certificate, admits, open);
    this.#servers.push(server);
    return server;
  }
  async stop(): Promise<void> {
    (await this.#udp)?.stop();
    for (const one of this.#servers) (await one).stop();
  }
}
