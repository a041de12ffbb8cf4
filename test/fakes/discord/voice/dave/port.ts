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

/** A person's client: a whole member of the group. */
export interface DavePerson extends DaveClient {
  /** Encrypts an Opus packet as it goes into RTP; as it is while the channel is not encrypted. */
  encrypt(packet: Uint8Array): Uint8Array;
  /** The Opus packet that somebody sent; undefined when it cannot be decrypted. */
  decrypt(packet: Uint8Array, fromId: string): Uint8Array | undefined;
}
