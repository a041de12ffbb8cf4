import { expect, it } from 'vitest';
import ask from '../../../commands/ask.ts';
import { actionsOf, describeAction } from '../../../src/command/catalogue.ts';
import { loadTexts } from '../../../src/i18n.ts';
import { sentence } from '../../fakes/sentences.ts';

it('tells of voice channels only where there are any', () => {
  const texts = loadTexts('locales');
  const [action] = actionsOf(ask);
  const told = (hasRooms: boolean): string =>
    describeAction(action!, texts, 'en', { naming: 'plain', hasRooms }).options[0]!.description;
  const key = 'commands.ask.options.question';
  expect(told(false)).toBe(sentence(key, { rooms: 'no' }));
  expect(told(true)).toBe(sentence(key, { rooms: 'yes' }));
  expect(told(true)).not.toBe(told(false));
});
