/**
 * What the voice gateway says to a client and hears from it about end-to-end encryption: JSON for ops
 * 21 to 24 and 31, bytes for 25 to 30 (daveprotocol.com, "Voice Gateway Opcodes"). The bytes come
 * without the sequence and the op, which the gateway writes before them.
 */
export type DaveMessage =
  | { readonly op: 21 | 22 | 23 | 24 | 31; readonly d: Readonly<Record<string, unknown>> }
  | { readonly op: 25 | 26 | 27 | 28 | 29 | 30; readonly bytes: Uint8Array };

/** One client in a channel: the bot behind its socket, or a person whose client the fake plays. */
export interface DaveClient {
  readonly userId: string;
  send(message: DaveMessage): void;
}

/** The voice server's part in the encryption of one channel: it never has the group's secret. */
export interface DaveGroup {
  /** What SESSION_DESCRIPTION tells: 0 while the channel is not encrypted. */
  readonly version: 0 | 1;
  /** A client that has its session description. One that takes no part is told `dave: false`. */
  connect(client: DaveClient, options?: { readonly dave?: boolean }): void;
  disconnect(userId: string): void;
  /** What a client said. */
  receive(userId: string, message: DaveMessage): void;
}

export interface DaveGroupOptions {
  readonly channelId: string;
  /** False for what is never encrypted end to end, as stage channels. Default true. */
  readonly encrypted?: boolean;
  /** How long the server waits for everybody's op 23. Default 2,000 ms ("Member Remove"). */
  readonly readyTimeoutMs?: number;
}

export interface DaveRefusal {
  readonly userId: string;
  readonly reason: string;
}

/** What a test sees of the group, and what it can do to it. */
export interface DaveDriver {
  readonly channelId: string;
  /** 0 while there is no group. */
  readonly epoch: bigint;
  /** Who has the group's keys. */
  readonly members: readonly string[];
  /** Key packages and commits that the server did not take, in order, with the reason. */
  readonly refusals: readonly DaveRefusal[];
  /** Everybody connected is in the group and nothing is under way. */
  readonly settled: boolean;
  whenSettled(): Promise<void>;
  /** The next commit (29) or welcome (30) for this client arrives with a wrong bit. */
  damageNext(userId: string, op: 29 | 30): void;
  /** Commits of all others are refused. Without names: everybody's count again. */
  onlyCommitsOf(...userIds: readonly string[]): void;
  /** Every change of the group is announced with transition id 0: at once, and never confirmed. */
  useTransitionZero(on: boolean): void;
  /** No op 22 until the returned function is called. */
  holdExecute(): () => void;
  /** The group is made anew while everybody stays (op 24, epoch 1). */
  recreate(): void;
  /** To version 0 or back to 1, as if a client without DAVE came or went. */
  encrypt(on: boolean): void;
  /** Says op 25 out of order to the bot: at version 0, or as a member. */
  sendExternalSender(userId: string): void;
}

/** A person's client: a whole member of the group. */
export interface DavePerson extends DaveClient {
  /** Others can understand what it sends now: Discord's own client is silent until then. */
  readonly ready: boolean;
  /** Encrypts an Opus packet as it goes into RTP; as it is while the channel is not encrypted. */
  encrypt(packet: Uint8Array): Uint8Array;
  /** The Opus packet that somebody sent; undefined when it cannot be decrypted. */
  decrypt(packet: Uint8Array, fromId: string): Uint8Array | undefined;
}
