import { describe, expect, it } from 'vitest';
import { coreSection, operatorLimits } from '../../../src/app/core-config.ts';
import { parseConfig } from '../../../src/config.ts';
import type { SpaceChoices } from '../../../src/model/space.ts';
import { timestamp } from '../../../src/rich-text/rich-text.ts';
import type { UsageAmounts } from '../../../src/store/usage.ts';
import { createLimits, type Demand, type OperatorLimits } from '../../../src/usage/limits.ts';

const SPACE = { platform: 'test', id: 's' };
const NOTHING = { characters: 0, audioMs: 0, chatTokens: 0, messages: 0 };
/** Half past ten in the evening. */
const now = (): number => Date.UTC(2026, 0, 2, 22, 30);

interface Given {
  readonly chosen?: Partial<SpaceChoices>;
  readonly operator?: Partial<OperatorLimits>;
  readonly used?: Partial<UsageAmounts>;
  readonly usedByAda?: Partial<UsageAmounts>;
  readonly ownsKey?: boolean;
}

const limitsWith = ({ chosen = {}, operator = {}, used, usedByAda, ownsKey = false }: Given) =>
  createLimits({
    spaces: { of: async () => chosen as SpaceChoices },
    usage: {
      today: async () => ({ ...NOTHING, ...used }),
      todayEverywhere: async (_, id) => ({ ...NOTHING, ...(id === 'ada' ? usedByAda : {}) }),
    },
    operator: { space: {}, person: {}, ...operator },
    ownsKey: async () => ownsKey,
    now,
  });

const faultOf = async (given: Given, demand: Demand, memberId?: string) => {
  const fault = await limitsWith(given).fault({ space: SPACE, memberId }, demand);
  return fault && [fault.code, fault.sentence.key, fault.sentence.params];
};

describe('the limits of a space', () => {
  it('are the lower ones of its operator and its moderators', async () => {
    const limits = limitsWith({
      chosen: { dailyCharacters: 50, dailyAudioMinutes: 90, dailyChatTokens: 7 },
      operator: { space: { characters: 100, audioMinutes: 60 } },
    });
    expect((await limits.of(SPACE)).space).toEqual({
      characters: 50,
      audioMinutes: 60,
      chatTokens: 7,
    });
  });

  it('let a question be asked while a token is left', async () => {
    const chosen = { dailyChatTokens: 1_000 };
    expect(await faultOf({ chosen, used: { chatTokens: 999 } }, 'chat')).toBeUndefined();
    expect(await faultOf({ chosen, used: { chatTokens: 1_200 } }, 'chat')).toEqual([
      'rate-limited',
      'limits.chat',
      { used: 1_200, limit: 1_000, hours: 2 },
    ]);
  });

  it('cannot be raised over the operator’s', async () => {
    const chosen = { dailyCharacters: 1_000_000 };
    const operator = { space: { characters: 10 } };
    expect(await faultOf({ chosen, operator }, { characters: 11 })).toMatchObject([
      'rate-limited',
      'limits.characters',
      { limit: 10 },
    ]);
  });

  it('are its moderators’ alone where it pays the service itself', async () => {
    const operator = { space: { characters: 0, audioMinutes: 0 }, person: { characters: 0 } };
    const given = { operator, ownsKey: true, chosen: { dailyAudioMinutes: 5 } };
    expect(await faultOf(given, { characters: 11 }, 'ada')).toBeUndefined();
    expect(await limitsWith(given).of(SPACE)).toEqual({
      operator: {},
      person: {},
      space: { characters: undefined, audioMinutes: 5, chatTokens: undefined },
      reset: timestamp(Date.UTC(2026, 0, 3) / 1_000, 't'),
    });
  });
});

describe('the limits of a person', () => {
  const operator = { person: { characters: 10, audioMinutes: 2, chatTokens: 100 } };

  it.each([
    [{ characters: 6 }, { characters: 5 }, 'limits.characters-each'],
    ['audio', { audioMs: 120_000 }, 'limits.audio-each'],
    ['chat', { chatTokens: 100 }, 'limits.chat-each'],
  ] as const)('stop one person, and nobody else: %j', async (demand, usedByAda, key) => {
    const given = { operator, used: { characters: 900 }, usedByAda };
    expect((await faultOf(given, demand, 'ada'))?.[1]).toBe(key);
    expect(await faultOf(given, demand, 'bob')).toBeUndefined();
    expect(await faultOf(given, demand)).toBeUndefined();
  });

  it('leave the smaller one of what the person and what the space has left', async () => {
    const limits = limitsWith({
      operator: { ...operator, space: { characters: 1_000 } },
      chosen: { dailyChatTokens: 150 },
      used: { characters: 995, chatTokens: 120 },
      usedByAda: { characters: 2, chatTokens: 20, audioMs: 500_000 },
    });
    expect(await limits.remaining({ space: SPACE, memberId: 'ada' })).toEqual({
      characters: 5,
      audioMinutes: 0,
      chatTokens: 30,
    });
    expect(await limits.remaining({ space: SPACE })).toEqual({
      characters: 5,
      audioMinutes: undefined,
      chatTokens: 30,
    });
  });
});

describe('a reservation for nobody in particular', () => {
  it('does not wait for one in another space', async () => {
    const slow = Promise.withResolvers<UsageAmounts>();
    const limits = createLimits({
      spaces: { of: async () => ({ dailyCharacters: 50 }) as SpaceChoices },
      usage: {
        today: async ({ id }) => (id === 'slow' ? slow.promise : NOTHING),
        todayEverywhere: async () => NOTHING,
      },
      now,
    });
    const first = limits.reserve({ space: { ...SPACE, id: 'slow' } }, { characters: 1 });
    let isReserved = false;
    const second = limits.reserve({ space: SPACE }, { characters: 1 });
    void second.then(() => (isReserved = true));
    await new Promise(setImmediate);
    expect(isReserved).toBe(true);
    slow.resolve(NOTHING);
    await Promise.all([first, second]);
  });
});

describe('the operator’s variables', () => {
  it('are limits of each space and of each person', () => {
    const given = { LIMIT_CHARACTERS_PER_DAY: '100', LIMIT_CHAT_TOKENS_PER_PERSON: '0' };
    const { core } = parseConfig(given, { core: coreSection });
    expect(operatorLimits(core)).toEqual({ space: { characters: 100 }, person: { chatTokens: 0 } });
  });

  it.each(['-1', '1.5', 'many'])('are whole numbers: not %s', (typed) => {
    expect(() =>
      parseConfig({ LIMIT_AUDIO_MINUTES_PER_DAY: typed }, { core: coreSection }),
    ).toThrow(/LIMIT_AUDIO_MINUTES_PER_DAY: must be/);
  });
});
