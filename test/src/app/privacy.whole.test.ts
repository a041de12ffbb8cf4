import { describe, expect, it } from 'vitest';
import type { ServiceClient } from '../../../src/api/client.ts';
import { channel } from '../../fakes/channel-feed.ts';
import { openTestStore } from '../../fakes/database.ts';
import { openTestCore } from '../../fakes/open-core.ts';

const HERE = channel('here');

describe('a person’s decision about their data', () => {
  it.each(['forget', 'opt out'])(
    'lets nothing be known of the languages in which they wrote: %s',
    async (wish) => {
      const store = await openTestStore('sqlite::memory:');
      await using running = await openTestCore({ client: {} as ServiceClient, store });
      const { languages, privacy } = running.core.services;
      const author = { platform: 'place', id: 'bob' };
      const line = (id: string) => ({ ref: { channel: HERE, id }, author });
      const ambiguous = () => languages.rank('hvor er du?', line('last'));
      languages.rank('hvad laver I så i aften?', line('1'));
      languages.rank('det er fandeme ærgerligt', line('2'));
      await (wish === 'forget' ? privacy.forget(author) : privacy.setOptedOut(author, true));
      expect(ambiguous()).toEqual(languages.rank('hvor er du?'));
    },
  );
});
