import { setTimeout as delay } from 'node:timers/promises';
import { PATHS } from '../../src/api/contract.ts';
import type { FakeMessage } from '../../test/fakes/discord/index.ts';
import type { Fault as ServiceFault } from '../../test/fakes/speech.ts';
import type { Stage } from './harness.ts';
import type { createTalkers, Talker, TalkDeps } from './talk.ts';

export interface FaultDeps {
  readonly stage: Stage;
  readonly talker: ReturnType<typeof createTalkers>;
  readonly network: TalkDeps['network'];
  /** Who comes and goes; they are in no room between faults. */
  readonly guests: readonly (() => Talker)[];
  /** Nobody can decrypt them. */
  readonly stranger: () => Talker;
  /** Nobody could hear, or write down, what is said while it runs. */
  readonly deaf: (run: () => Promise<void>) => Promise<void>;
  /** A message was deleted by a moderator; what stood there counts as shown. */
  readonly deleted: (message: FakeMessage) => void;
}

export interface Fault {
  readonly name: string;
  /** About. */
  readonly lastsMs: number;
  /** What is under way when it is over may take so long to fail. */
  readonly lingersMs?: number;
  run(deps: FaultDeps): void | Promise<void>;
}

/** For as long as a service is away. */
const AWAY_MS = 30_000;
/** What was said meanwhile is written down within so long. */
const CATCHES_UP_MS = 15_000;
const FLOOD_MS = 15_000;
const PLENTY = 10_000;
const NOTICE_MS = 6_000;

const away =
  (fault: ServiceFault, share: number) =>
  async ({ stage }: FaultDeps) => {
    const { speech } = stage.bot;
    speech.fail(PATHS.asr, ...Array.from({ length: PLENTY }, () => fault));
    await delay(AWAY_MS * share);
    speech.heal();
  };

const visit = async (guest: () => Talker, staysMs: number): Promise<void> => {
  const { person, speak } = guest();
  await delay(staysMs);
  await speak();
  person.leave();
};

const visitThrice = async (guest: () => Talker, at: number): Promise<void> => {
  await delay(at * 700);
  for (const staysMs of [NOTICE_MS, 1_500, 1_500]) await visit(guest, staysMs);
};

/** @param share of the time that what lasts would last, so that all of it can be shorter */
export const faultsOf = (share: number): readonly Fault[] => [
  {
    name: 'main gateway drops, is resumed',
    lastsMs: 0,
    run: ({ stage }) => stage.bot.discord.gateway.drop(),
  },
  {
    name: 'main gateway: session invalid',
    lastsMs: 0,
    run: ({ stage }) => stage.bot.discord.gateway.invalidate(),
  },
  {
    name: 'voice gateway drops',
    lastsMs: 0,
    run: ({ stage }) => stage.bot.discord.voice.drop(),
  },
  ...[4006, 4009, 4015].map((code) => ({
    name: `voice gateway closes with ${code}`,
    lastsMs: 0,
    run: ({ stage }: FaultDeps) => stage.bot.discord.voice.close(code),
  })),
  {
    name: 'voice server moves',
    lastsMs: 0,
    run: ({ stage }) => stage.bot.discord.voice.moveRegion(stage.lounge),
  },
  {
    name: 'no voice server for 5 s',
    lastsMs: 5_000,
    run: async ({ stage, deaf }) => {
      const { voice } = stage.bot.discord;
      await deaf(async () => {
        voice.withdraw(stage.lounge);
        await delay(5_000);
      });
      await voice.allocate(stage.lounge);
    },
  },
  {
    name: '5 % loss, 40 ms jitter, 3 % out of order',
    lastsMs: 40_000 * share,
    run: async ({ network }) => {
      network.current = { lossPercent: 5, jitterMs: 40, reorderPercent: 3, duplicatePercent: 1 };
      await delay(40_000 * share);
      network.current = {};
    },
  },
  {
    name: 'UDP black hole for 10 s',
    lastsMs: 10_000,
    run: async ({ stage, deaf }) => {
      const { udp } = stage.bot.discord.voice;
      await deaf(async () => {
        await udp.drop(true);
        await delay(10_000);
        await udp.drop(false);
      });
    },
  },
  {
    name: 'DAVE: transitions with id 0',
    lastsMs: 8_000,
    run: async ({ stage, guests }) => {
      stage.group().useTransitionZero(true);
      await visit(guests[0]!, NOTICE_MS);
      stage.group().useTransitionZero(false);
    },
  },
  {
    name: 'DAVE: group made anew',
    lastsMs: 0,
    run: ({ stage }) => stage.group().recreate(),
  },
  {
    name: 'DAVE: damaged commit',
    lastsMs: 8_000,
    run: async ({ stage, guests }) => {
      stage.group().damageNext(stage.bot.discord.botUser.id, 29);
      await visit(guests[0]!, NOTICE_MS);
    },
  },
  {
    name: 'DAVE: off for 5 s, on again',
    lastsMs: 5_000,
    run: async ({ stage }) => {
      stage.group().encrypt(false);
      await delay(5_000);
      stage.group().encrypt(true);
    },
  },
  {
    name: 'DAVE: somebody cannot be decrypted',
    lastsMs: NOTICE_MS + 30_000 * share,
    run: async ({ stranger }) => {
      const { person, talk } = stranger();
      await delay(NOTICE_MS);
      await talk(AbortSignal.timeout(30_000 * share));
      person.leave();
    },
  },
  {
    name: 'three guests come and go, three times',
    lastsMs: 30_000,
    run: async ({ guests }) => {
      await Promise.all(guests.map(visitThrice));
    },
  },
  {
    name: `recogniser away for ${(AWAY_MS * share) / 1_000} s: 503`,
    lastsMs: AWAY_MS * share,
    lingersMs: CATCHES_UP_MS,
    run: away({ status: 503 }, share),
  },
  {
    name: `recogniser away for ${(AWAY_MS * share) / 1_000} s: hangs`,
    lastsMs: AWAY_MS * share,
    lingersMs: CATCHES_UP_MS,
    run: away({ hang: true }, share),
  },
  {
    name: `recogniser away for ${(AWAY_MS * share) / 1_000} s: resets`,
    lastsMs: AWAY_MS * share,
    lingersMs: CATCHES_UP_MS,
    run: away({ reset: true }, share),
  },
  {
    name: 'translation: 429 for 15 s',
    lastsMs: FLOOD_MS,
    run: async ({ stage }) => {
      const refusal = { status: 429, headers: { 'retry-after': '2' } };
      stage.bot.speech.fail(PATHS.translate, ...Array.from({ length: PLENTY }, () => refusal));
      await delay(FLOOD_MS);
      stage.bot.speech.heal();
    },
  },
  {
    name: 'Discord: 429 on the captions for 15 s',
    lastsMs: FLOOD_MS,
    run: async ({ stage }) => {
      const untilMs = performance.now() + FLOOD_MS;
      const effect = {
        status: 429,
        body: { message: 'You are being rate limited.', retry_after: 2, global: false },
        headers: { 'retry-after': '2', 'x-ratelimit-scope': 'shared' },
      };
      const isFlooded = { while: () => performance.now() < untilMs };
      stage.bot.discord.fail('POST /channels/:id/messages', effect, isFlooded);
      stage.bot.discord.fail('PATCH /channels/:id/messages/:id', effect, isFlooded);
      await delay(FLOOD_MS);
    },
  },
  {
    name: 'a moderator deletes the captions',
    lastsMs: 0,
    run: ({ stage, deleted }) => {
      const message = stage.lounge.messages.findLast(({ content }) =>
        /^\*\*\w+\*\*: /.test(content),
      );
      if (!message) throw new Error('there are no captions');
      deleted(message);
      message.delete();
    },
  },
];
