import { expect, test } from 'vitest';
import { createProfiles } from '../../../adapters/web/profiles.ts';
import { createFakeCore } from '../../fakes/core.ts';

test('somebody who listens is never forgotten, however many strangers come', async () => {
  const { texts, services } = createFakeCore();
  const listening: string[] = [];
  const members = createProfiles(texts, services, () => listening, false);
  const listener = await members.know('the listener', 'en');
  const other = await members.know('the other', 'en');
  listening.push(listener.id);
  for (let count = 0; count < 1_100; count += 1) await members.know(`stranger ${count}`, 'en');
  expect(members.get(listener.id)).toBe(listener);
  expect(members.get(other.id)).toBeUndefined();
});
