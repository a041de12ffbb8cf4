import { describe, expect, it } from 'vitest';
import { createAllowance, parseRate } from '../../service/allowance.ts';
import { createTestClock } from '../fakes/clock.ts';
import { parseConfig } from '../../src/config.ts';
import { engineSection, serverSection } from '../../service/config.ts';

describe('an allowance', () => {
  it('gives so much at once, and then as much as comes in time', async () => {
    const clock = createTestClock();
    const { take } = createAllowance(clock, { most: 2, perSecond: 0.5 });
    expect([take(1), take(1), take(1)]).toEqual([true, true, false]);
    await clock.advance(1_999);
    expect(take(1)).toBe(false);
    await clock.advance(1);
    expect([take(1), take(1)]).toEqual([true, false]);
  });

  it('is never more than what may come at once', async () => {
    const clock = createTestClock();
    const { take } = createAllowance(clock, { most: 2, perSecond: 100 });
    await clock.advance(60_000);
    expect([take(2), take(1)]).toEqual([true, false]);
  });

  it('tells the time until there is enough', async () => {
    const clock = createTestClock();
    const { take, waitMs } = createAllowance(clock, { most: 1, perSecond: 0.4 });
    expect(waitMs(1)).toBe(0);
    take(1);
    expect(waitMs(1)).toBe(2_500);
    await clock.advance(780);
    expect(waitMs(1)).toBeCloseTo(1_720);
    await clock.advance(1_720);
    expect(waitMs(1)).toBe(0);
  });
});

describe('a rate', () => {
  it.each([
    ['5/s', 5, 5],
    ['30/min', 0.5, 1],
    ['90/min', 1.5, 2],
    ['36/h', 0.01, 1],
    ['5/s:10', 5, 10],
    ['1/min:3', 1 / 60, 3],
  ])('%s is %d a second, %d at once', (text, perSecond, most) => {
    expect(parseRate(text)).toEqual({ perSecond, most });
  });

  it.each(['', '5', '0/s', '5/s:0', '-5/s', '5/day', '5/s:', '1.5/s', '5/s:1:1'])(
    'is not %j',
    (text) => {
      expect(parseRate(text)).toBeUndefined();
    },
  );

  it('is read from the variables', () => {
    const { engines, server } = parseConfig(
      {
        SERVICE_ENGINE_RATES: 'openai=5/s:8, openai:recognition=30/min',
        SERVICE_KEY_RATE: '2/s',
      },
      { engines: engineSection, server: serverSection },
    );
    expect(engines.SERVICE_ENGINE_RATES).toEqual([
      { engine: 'openai', rate: { perSecond: 5, most: 8 } },
      { engine: 'openai', ability: 'recognition', rate: { perSecond: 0.5, most: 1 } },
    ]);
    expect(server.SERVICE_KEY_RATE).toEqual({ perSecond: 2, most: 2 });
  });

  it.each([
    ['SERVICE_ENGINE_RATES', 'openai=fast'],
    ['SERVICE_ENGINE_RATES', 'openai:singing=5/s'],
    ['SERVICE_KEY_RATE', '5'],
  ])('in %s that is none is refused with how it is written', (name, text) => {
    const sections = { engines: engineSection, server: serverSection };
    expect(() => parseConfig({ [name]: text }, sections)).toThrow(name);
    expect(() => parseConfig({ [name]: text }, sections)).toThrow('like 5/s, 30/min');
  });
});
