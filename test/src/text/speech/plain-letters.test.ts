import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { spokenName } from '../../../../src/text/speech/plain-letters.ts';
import { anyCharacter } from '../../../fakes/any-character.ts';

it.each([
  ['Anna', 'Anna'],
  ['田中さん', '田中さん'],
  ['Jean-Luc O’Neil', 'Jean-Luc O’Neil'],
  ['Malcolm X', 'Malcolm X'],
  ['xX_Dragon_99182_Xx', 'Dragon'],
  ['anna1987', 'anna'],
  ['R2D2', 'R2D2'],
  ['1234', '1234'],
  ['918273645546372819', ''],
  ['𝓐𝓷𝓷𝓪', 'Anna'],
  ['snake_case', 'snake case'],
  ['MaxMustermann', 'Max Mustermann'],
  ['~*Lily*~ 🌸', 'Lily'],
  ['[AFK] Tom', 'AFK Tom'],
  ['aaaaaaaa', 'aa'],
  ['B̷o̸b', 'Bob'],
  ['🔥✨', ''],
  ['......', ''],
  ['', ''],
])('%j is read as %j', (name, spoken) => {
  expect(spokenName(name)).toBe(spoken);
});

it('holds only what can be read, and is short, whatever the name', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (name) => {
      const spoken = spokenName(name);
      expect(spoken).toMatch(/^[\p{L}\p{M}\p{N}'’. -]*$/u);
      expect(Array.from(spoken).length).toBeLessThanOrEqual(40);
      expect(spoken).toBe(spoken.trim());
    }),
  );
});
