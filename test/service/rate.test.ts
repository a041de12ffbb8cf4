import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { engineSection, serverSection } from '../../service/config.ts';
import { parseRate } from '../../service/rate.ts';

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
