import { createLog } from '../../src/log.ts';
import type { Leases, Tenure, Work } from '../../src/ports/leases.ts';
import { createSlotOwner, type SlotOwner } from '../../src/slot-owner.ts';
import { createInboxStore } from '../../src/store/inbox/index.ts';
import { channelPartition, WATCH, type Row } from '../../src/store/inbox/row.ts';
import type { Store } from '../../src/store/index.ts';
import { slotOf } from '../../src/store/slots.ts';
import { plainWords } from '../../src/model/compose-rich-text.ts';
import { createHastyClock } from './clock.ts';
import { createRandom } from './random.ts';

/** A fault planted into the claims, which a simulation must find. */
export type ClaimFlaw = 'effects are not checked' | 'epochs are equal';

export interface ClaimOptions {
  /** A store that other schedules have used, with other seeds. */
  readonly store: Store;
  readonly seed: number;
  readonly processes: number;
  readonly messages: number;
  readonly steps: number;
  readonly flaw?: ClaimFlaw;
}

const ROWS_AHEAD = 3;
const LAST_STEPS = 4_000;

interface Lease {
  readonly tenure: Tenure;
  readonly work: Work;
  readonly lose: () => void;
  /** Tells the process that it lost the lease. */
  readonly notice: () => void;
}

interface Member {
  readonly owner: SlotOwner;
  isFrozen: boolean;
  readonly begin: (tenure: Tenure) => Work;
}

/**
 * Runs workers of several processes over one real inbox, while the lease of their partition is lost, moved and taken
 * back at random moments. Returns what must never happen, and did.
 */
export const simulateClaims = async (options: ClaimOptions): Promise<readonly string[]> => {
  const { store, flaw } = options;
  const random = createRandom(options.seed);
  const pick = <Item>(items: readonly Item[]): Item | undefined =>
    items[Math.floor(random() * items.length)];
  const channel = { space: { platform: 'test', id: 's' }, id: `${options.seed}` };
  const partition = channelPartition(channel);
  const slot = slotOf(partition);
  const inbox = createInboxStore({ store, now: () => 1_000_000_000 });
  const log = createLog('silent');
  const violations: string[] = [];
  const posted = new Map<string, number>();
  const settled: string[] = [];
  /** The tenure that claimed a row last. */
  const claimedBy = new Map<string, Tenure>();
  let current: Lease | undefined;
  let epoch = 1;
  let accepted = 0;

  /** Steps that wait for their turn, which a frozen process does not get. */
  let waiting: { readonly member: Member; readonly go: () => void }[] = [];
  const turn = (member: Member): Promise<void> =>
    new Promise((go) => {
      waiting.push({ member, go });
    });

  const post = (row: Row, tenure: Tenure): void => {
    const { id } = row.ref;
    if (current?.tenure !== tenure) violations.push(`${id} was posted by a tenure not held`);
    if (posted.has(id) && !row.mayExist) violations.push(`${id} was posted twice unawares`);
    if (!posted.has(id) && [...posted.keys()].some((other) => Number(other) > Number(id)))
      violations.push(`${id} was posted after a later one`);
    posted.set(id, (posted.get(id) ?? 0) + 1);
  };

  const workOn = async (member: Member, tenure: Tenure): Promise<void> => {
    while (tenure.isHeld()) {
      await turn(member);
      const { rows } = await inbox.claim(partition, ROWS_AHEAD, tenure);
      for (const { ref } of rows) claimedBy.set(ref.id, tenure);
      for (const row of rows) {
        await turn(member);
        if (!tenure.isHeld() && flaw !== 'effects are not checked') return;
        post(row, tenure);
        await turn(member);
        const isSettled = await store.write((db) => inbox.settle(db, row, { state: 'posted' }));
        if (!isSettled) break;
        settled.push(row.ref.id);
        if (claimedBy.get(row.ref.id) !== tenure)
          violations.push(`${row.ref.id} was settled by a tenure that a later one took it from`);
      }
    }
  };

  const createMember = (): Member => {
    const working = new Map<number, Promise<void>>();
    let begin: Member['begin'] | undefined;
    const leases = {
      share: (_set, _size, start) => {
        begin = start;
        return { [Symbol.asyncDispose]: async () => undefined };
      },
    } as Partial<Leases> as Leases;
    const owner = createSlotOwner({ leases, log, clock: createHastyClock() });
    owner.serve('inbox', {
      takeOver: async (taken, tenure) => {
        await turn(member);
        await inbox.takeOver(taken, tenure);
        await turn(member);
      },
      begin: (begun) => {
        const tenure = owner.tenureOf(partition);
        if (tenure) working.set(begun, workOn(member, tenure));
      },
      end: async (ended) => working.get(ended),
      told: () => undefined,
    });
    owner.start();
    const member: Member = { owner, isFrozen: false, begin: (tenure) => begin!(tenure) };
    return member;
  };
  const members = Array.from({ length: options.processes }, createMember);

  const grant = (member: Member): void => {
    const abort = new AbortController();
    if (flaw !== 'epochs are equal') epoch += 1;
    const tenure: Tenure = {
      name: `slot:${slot}`,
      epoch,
      signal: abort.signal,
      isHeld: () => current?.tenure === tenure,
      assertHeld: () => undefined,
      release: async () => undefined,
    };
    const lose = (): void => {
      if (current?.tenure === tenure) current = undefined;
    };
    const lease = { tenure, lose, notice: () => abort.abort() };
    current = { ...lease, work: { hear: () => undefined, [Symbol.asyncDispose]: async () => {} } };
    const work = member.begin(tenure);
    current = { ...lease, work };
  };

  /** Promises and statements of what was begun are settled. */
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 3; turns += 1) await new Promise(setImmediate);
  };
  const goOn = async (): Promise<void> => {
    const ready = pick(waiting.filter(({ member }) => !member.isFrozen));
    if (!ready) return;
    waiting = waiting.filter((one) => one !== ready);
    ready.go();
    await settle();
  };
  const accept = async (): Promise<void> => {
    if (accepted === options.messages) return;
    accepted += 1;
    const message = {
      ref: { channel, id: String(accepted) },
      position: String(accepted).padStart(5, '0'),
      author: { id: 'ada', name: 'ada', kind: 'person' as const },
      text: plainWords('hello'),
      files: [],
      stickers: [],
    };
    await inbox.accept({ message, purpose: WATCH, partition, writtenMs: accepted });
  };
  /** The lease ends without a word of its holder, and another process gets it. */
  const loseIt = (): void => {
    const lost = current;
    lost?.lose();
    if (random() < 0.5) lost?.notice();
    grant(pick(members)!);
  };

  grant(members[0]!);
  for (let step = 0; step < options.steps; step += 1) {
    const chance = random();
    if (chance < 0.8) await goOn();
    else if (chance < 0.9) await accept();
    else if (chance < 0.94) loseIt();
    else {
      const member = pick(members)!;
      member.isFrozen = !member.isFrozen;
    }
  }
  for (const member of members) member.isFrozen = false;
  while (accepted < options.messages) await accept();
  for (let step = 0; step < LAST_STEPS && settled.length < accepted; step += 1) await goOn();

  if (settled.length !== new Set(settled).size) violations.push('a row was settled twice');
  if (settled.length !== accepted)
    violations.push(`${settled.length} of ${accepted} rows were settled`);
  if (settled.some((id, index) => index > 0 && Number(id) < Number(settled[index - 1])))
    violations.push('rows were settled out of their order');
  current = undefined;
  return violations;
};
