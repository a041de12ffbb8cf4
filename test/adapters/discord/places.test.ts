import { expect, test } from 'vitest';
import { createPlaces } from '../../../adapters/discord/places.ts';

test('the threads of a channel that is gone are forgotten with it', () => {
  const places = createPlaces();
  places.thread('1', { id: '11', parent_id: '10' });
  places.thread('1', { id: '21', parent_id: '20' });
  places.removeChannel('10');
  expect(places.channel('1', '11').parentId).toBeUndefined();
  expect(places.channel('1', '21').parentId).toBe('20');
});
