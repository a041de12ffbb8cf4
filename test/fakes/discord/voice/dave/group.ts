import { Batch, type Seat } from './batch.ts';
import { readCommit, type Commit } from './commit.ts';
import { createExternalSender, type Change, type ExternalSender } from './external-sender.ts';
import { judgeCommit } from './judge.ts';
import { readKeyPackage } from './leaf-node.ts';
import type {
  DaveClient,
  DaveDriver,
  DaveGroup,
  DaveGroupOptions,
  DaveMessage,
  DaveRefusal,
} from './port.ts';
import { concat, u16, u64 } from './tls.ts';
import { Transitions } from './transitions.ts';
import { Tree } from './tree.ts';

/**
 * The voice server's part of DAVE 1 for one channel (daveprotocol.com). The first commit of an epoch
 * that names all proposals wins. Proposals are sent in batches: the next one when the last has been
 * committed and everybody has answered. Nothing here is asynchronous but `whenSettled` and the time
 * after which the server no longer waits.
 */
class DaveServer implements DaveGroup, DaveDriver {
  readonly channelId: string;
  readonly #groupId: Buffer;
  readonly #sender: ExternalSender;
  readonly #seats = new Map<string, Seat>();
  readonly #tree = new Tree();
  readonly #transitions: Transitions;
  readonly #refusals: DaveRefusal[] = [];
  readonly #damages: { readonly userId: string; readonly op: number }[] = [];
  /** Leaves whose users went or began anew. */
  readonly #leaving = new Set<number>();
  readonly #batch: Batch;
  #version: 0 | 1;
  #encrypted: boolean;
  /** The group that comes next replaces one in a running call: it needs a transition. */
  #replaces = false;
  #zero = false;
  #committers: readonly string[] = [];
  /** Clients answer while they are being told: one thing after the other. */
  readonly #tasks: (() => void)[] = [];
  #busy = false;
  #waiters: (() => void)[] = [];

  constructor({ channelId, encrypted = true, readyTimeoutMs = 2_000 }: DaveGroupOptions) {
    this.channelId = channelId;
    this.#groupId = u64(BigInt(channelId));
    this.#sender = createExternalSender(this.#groupId);
    this.#batch = new Batch(this.#sender);
    this.#encrypted = encrypted;
    this.#version = encrypted ? 1 : 0;
    this.#transitions = new Transitions({
      readyTimeoutMs,
      execute: (id, members) => {
        for (const userId of members) this.#say(userId, { op: 22, d: { transition_id: id } });
      },
      expired: (id) => this.#run(() => this.#transitions.finish(id)),
      answered: () => this.#run(() => this.#propose()),
    });
  }

  get version(): 0 | 1 {
    return this.#version;
  }
  get epoch(): bigint {
    return this.#tree.epoch;
  }
  get members(): readonly string[] {
    return [...this.#seats.keys()].filter((userId) => this.#seats.get(userId)?.leaf !== undefined);
  }
  get refusals(): readonly DaveRefusal[] {
    return this.#refusals;
  }
  get settled(): boolean {
    if (!this.#transitions.done) return false;
    if (this.#version === 0 || this.#seats.size < 2) return true;
    return this.#wanted().length === 0 && this.members.length === this.#seats.size;
  }
  async whenSettled(): Promise<void> {
    if (!this.settled) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  connect(client: DaveClient, { dave = true }: { readonly dave?: boolean } = {}): void {
    this.#run(() => {
      if (this.#seats.has(client.userId)) this.#leave(client.userId);
      const seat: Seat = { client, dave, told: [] };
      this.#seats.set(client.userId, seat);
      this.#review(seat);
    });
  }
  disconnect(userId: string): void {
    this.#run(() => this.#leave(userId));
  }
  receive(userId: string, message: DaveMessage): void {
    this.#run(() => {
      const seat = this.#seats.get(userId);
      if (seat === undefined) return;
      if (message.op === 23) this.#transitions.ready(userId, Number(message.d['transition_id']));
      if (this.#version === 0) return;
      if (message.op === 26) this.#offer(seat, message.bytes);
      if (message.op === 28) this.#commit(seat, message.bytes);
      if (message.op === 31) this.#flag(seat);
    });
  }

  damageNext(userId: string, op: 29 | 30): void {
    this.#damages.push({ userId, op });
  }
  onlyCommitsOf(...userIds: readonly string[]): void {
    this.#run(() => {
      this.#committers = userIds;
      // What has been refused is not sent again unless it is asked for again.
      this.#batch.clear();
      this.#propose();
    });
  }
  useTransitionZero(on: boolean): void {
    this.#zero = on;
  }
  holdExecute(): () => void {
    const release = this.#transitions.hold();
    return () => this.#run(release);
  }
  recreate(): void {
    this.#run(() => this.#recreate());
  }
  encrypt(on: boolean): void {
    this.#run(() => {
      this.#encrypted = on;
      this.#review();
    });
  }
  sendExternalSender(userId: string): void {
    this.#run(() => this.#introduce(userId));
  }

  #run(task: () => void): void {
    this.#tasks.push(task);
    if (this.#busy) return;
    this.#busy = true;
    try {
      for (let next = this.#tasks.shift(); next !== undefined; next = this.#tasks.shift()) next();
    } finally {
      this.#busy = false;
    }
    if (!this.settled) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }

  #say(userId: string, message: DaveMessage): void {
    const index = this.#damages.findIndex(
      (damage) => damage.userId === userId && damage.op === message.op,
    );
    if (index !== -1 && 'bytes' in message) {
      this.#damages.splice(index, 1);
      const bytes = Buffer.from(message.bytes);
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
      this.#seats.get(userId)?.client.send({ op: message.op, bytes });
    } else this.#seats.get(userId)?.client.send(message);
  }

  /** After somebody came or went: the version, the group of one, and what is to be proposed. */
  #review(newcomer?: Seat): void {
    const seats = [...this.#seats.values()];
    const version = this.#encrypted && seats.every(({ dave }) => dave) ? 1 : 0;
    if (version < this.#version) this.#downgrade(newcomer);
    else if (version > this.#version) this.#upgrade();
    else if (version === 1 && newcomer !== undefined) this.#introduce(newcomer.client.userId);
    if (this.#tree.established && seats.length < 2) this.#reset();
    this.#propose();
  }

  /** "Downgrade to Transport-Only Encryption". */
  #downgrade(newcomer: Seat | undefined): void {
    this.#version = 0;
    this.#forget();
    const members = [...this.#seats.values()].filter((seat) => seat.dave && seat !== newcomer);
    const ids = members.map(({ client }) => client.userId);
    if (ids.length === 0) return;
    const d = { protocol_version: 0, transition_id: this.#transitions.begin(ids) };
    for (const userId of ids) this.#say(userId, { op: 21, d });
  }

  /** "Upgrade from Transport-Only Encryption": some clients see the external sender now first. */
  #upgrade(): void {
    this.#version = 1;
    this.#recreate();
    for (const userId of this.#seats.keys()) this.#introduce(userId);
  }

  #introduce(userId: string): void {
    this.#say(userId, { op: 25, bytes: this.#sender.bytes });
  }

  #recreate(): void {
    this.#forget();
    this.#replaces = this.#seats.size > 1;
    for (const userId of this.#seats.keys()) this.#begin(userId);
  }

  /** "Sole member reset". */
  #reset(): void {
    this.#forget();
    this.#replaces = false;
    for (const userId of this.#seats.keys()) this.#begin(userId);
  }

  #begin(userId: string): void {
    this.#say(userId, { op: 24, d: { protocol_version: 1, epoch: 1 } });
    if (this.#seats.size === 1)
      this.#say(userId, { op: 21, d: { protocol_version: 1, transition_id: 0 } });
  }

  #forget(): void {
    this.#transitions.flush();
    this.#tree.reset();
    this.#leaving.clear();
    this.#batch.clear();
    for (const seat of this.#seats.values())
      Object.assign(seat, { keyPackage: undefined, leaf: undefined, told: [] });
  }

  #leave(userId: string): void {
    const seat = this.#seats.get(userId);
    if (seat === undefined) return;
    this.#vacate(seat);
    this.#seats.delete(userId);
    this.#transitions.forget(userId);
    if (this.#seats.size === 0) this.#transitions.clear();
    this.#review();
  }

  /** Its leaf is to be removed; it is pending again. */
  #vacate(seat: Seat): void {
    if (seat.leaf !== undefined) this.#leaving.add(seat.leaf);
    Object.assign(seat, { keyPackage: undefined, leaf: undefined, told: [] });
  }

  #offer(seat: Seat, bytes: Uint8Array): void {
    const { userId } = seat.client;
    try {
      const keyPackage = readKeyPackage(bytes, userId);
      if (seat.leaf !== undefined) {
        this.#vacate(seat);
        this.#transitions.forget(userId);
      }
      seat.keyPackage = keyPackage;
    } catch (error) {
      this.#refusals.push({ userId, reason: (error as Error).message });
    }
    this.#propose();
  }

  /** "Recovery from Invalid Commit or Welcome". */
  #flag(seat: Seat): void {
    const { established } = this.#tree;
    this.#vacate(seat);
    this.#transitions.forget(seat.client.userId);
    // Nobody knows which proposals reached the new session; two of a kind would spoil its commits.
    if (!established) this.#begin(seat.client.userId);
    this.#propose();
  }

  #wanted(): Change[] {
    const removals = [...this.#leaving].map((remove) => ({ remove }));
    const additions = [...this.#seats].flatMap(([add, { keyPackage }]) =>
      keyPackage === undefined ? [] : [{ add, keyPackage }],
    );
    return [...removals, ...additions];
  }

  #propose(): void {
    if (this.#version === 0) return;
    const { established, epoch } = this.#tree;
    if (established && this.members.length === 0) {
      this.#recreate();
      return;
    }
    this.#batch.withdraw(this.#wanted());
    const mayGrow = established ? this.#batch.isEmpty && !this.#transitions.waiting : true;
    if (mayGrow) this.#batch.add(this.#wanted(), epoch);
    for (const seat of this.#seats.values())
      for (const bytes of this.#batch.tell(seat, established))
        this.#say(seat.client.userId, { op: 27, bytes });
  }

  #commit(seat: Seat, payload: Uint8Array): void {
    const commit = this.#read(seat, payload);
    if (commit !== undefined) this.#announce(seat, commit);
  }

  #read(seat: Seat, payload: Uint8Array): Commit | undefined {
    const { userId } = seat.client;
    try {
      if (this.#committers.length > 0 && !this.#committers.includes(userId))
        throw new Error('others commit');
      const commit = readCommit(payload);
      const { established, epoch } = this.#tree;
      // Everybody commits: somebody else was faster.
      if (commit.epoch < epoch) return undefined;
      const leaf = established ? seat.leaf : 0;
      const signatureKey = this.#tree.at(leaf ?? -1)?.signatureKey ?? seat.keyPackage?.signatureKey;
      const proposals = this.#batch.for(seat, established);
      judgeCommit(commit, {
        groupId: this.#groupId,
        epoch,
        leaf,
        userId,
        signatureKey,
        proposals,
      });
      return commit;
    } catch (error) {
      this.#refusals.push({ userId, reason: (error as Error).message });
      return undefined;
    }
  }

  #announce(seat: Seat, commit: Commit): void {
    const changes = this.#batch.changes(commit.references);
    const isFirst = !this.#tree.established;
    if (isFirst) {
      const signatureKey = seat.keyPackage?.signatureKey;
      this.#tree.found({ userId: seat.client.userId, signatureKey });
      Object.assign(seat, { keyPackage: undefined, leaf: 0 });
    }
    const before = this.members;
    for (const change of changes) if ('remove' in change) this.#leaving.delete(change.remove);
    const welcomes = changes.flatMap((change) =>
      'add' in change
        ? [{ userId: change.add, bytes: commit.welcome?.for(change.keyPackage.reference) }]
        : [],
    );
    for (const [userId, leaf] of this.#tree.commit(changes)) {
      const added = this.#seats.get(userId);
      if (added !== undefined) Object.assign(added, { keyPackage: undefined, leaf });
    }
    this.#batch.clear();
    for (const each of this.#seats.values()) each.told = [];
    const atOnce = this.#zero || (isFirst && !this.#replaces);
    const id = u16(atOnce ? 0 : this.#transitions.begin(this.members));
    for (const userId of before) this.#say(userId, { op: 29, bytes: concat(id, commit.bytes) });
    for (const { userId, bytes = Buffer.alloc(0) } of welcomes)
      this.#say(userId, { op: 30, bytes: concat(id, bytes) });
    this.#propose();
  }
}

export const createDaveGroup = (options: DaveGroupOptions): DaveGroup & DaveDriver =>
  new DaveServer(options);
