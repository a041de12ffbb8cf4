import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  missingEngineText,
  parseMissingEngine,
  type MissingEngine,
} from '../../../src/http/missing-engine.ts';

const remedies = fc.array(
  fc.constantFrom('set SERVICE_X', 'apt-get install -y apertium-eng-spa', 'npm install a.b'),
  { maxLength: 3 },
);
const lacks: fc.Arbitrary<MissingEngine> = fc.oneof(
  fc.record({ ability: fc.constantFrom('speech', 'recognition', 'chat'), remedies }),
  fc.record({
    ability: fc.constant('recognition' as const),
    language: fc.constantFrom('th', 'zh-Hant'),
    remedies,
  }),
  fc.record({
    ability: fc.constant('translation' as const),
    from: fc.constantFrom('en', 'zh-Hant'),
    to: fc.constantFrom('es', 'en-XA'),
    sources: fc.array(fc.constantFrom('pt', 'zh-Hant', 'fil'), { maxLength: 3 }),
    remedies,
  }),
);

describe('what no engine can do', () => {
  it('is read from the text that says it', () => {
    fc.assert(
      fc.property(lacks, (lack) => {
        expect(parseMissingEngine(missingEngineText(lack))).toEqual(lack);
      }),
    );
  });

  it.each([
    '',
    'No engine',
    'No engine flies.',
    'No engine translates en to es',
    'No engine translates en to es, only from .',
    'No engine speaks. Add one: .',
    'Sorry. No engine speaks.',
  ])('is not read from %j', (text) => {
    expect(parseMissingEngine(text)).toBeUndefined();
  });
});
