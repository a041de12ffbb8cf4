import { expect, it } from 'vitest';
import ask from '../../../commands/ask.ts';
import { actionsOf, describeAction } from '../../../src/command/describe-action.ts';
import { loadTexts } from '../../../src/i18n.ts';

it('tells of voice channels only where there are any', () => {
  const texts = loadTexts('locales');
  const [action] = actionsOf(ask);
  const told = (hasRooms: boolean): string =>
    describeAction(action!, texts, 'en', { naming: 'plain', hasRooms }).options[0]!.description;
  expect(told(false)).toBe('Your question');
  expect(told(true)).toMatch(/^Your question; in a voice channel/);
});
