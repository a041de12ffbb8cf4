import { Routes } from 'discord.js';
import { AppError } from '../../../src/errors.ts';
import type { WatchPort } from '../../../src/ports/channel-feed.ts';
import type { Api } from '../api.ts';
import type { Session } from './client.ts';
import { channelIdOf, snowflakeAt } from '../ids.ts';
import { MESSAGES_PAGE } from '../limits.ts';
import type { MemberNames } from '../member-names.ts';
import type { MessageReader, RawMessage } from './message-reader.ts';
import { CONTENT_INTENT, demandHistory } from '../permissions.ts';

export interface HistoryDeps {
  readonly api: Api;
  readonly session: () => Session;
  readonly reader: MessageReader;
  readonly members: Pick<MemberNames, 'complete'>;
}

export const createHistory = ({
  api,
  session,
  reader,
  members,
}: HistoryDeps): WatchPort['history'] =>
  async function* history(channel, after, signal) {
    const { client, application } = session();
    // Every message would look as if its text had been taken away.
    if (!application.hasContentIntent)
      throw new AppError('forbidden', `the ${CONTENT_INTENT} is off`);
    demandHistory(client, channel);
    const route = Routes.channelMessages(channelIdOf(channel));
    let last = snowflakeAt(after);
    for (;;) {
      const query = { after: last, limit: String(MESSAGES_PAGE) };
      const page = await api.send<RawMessage[]>('GET', route, { query, signal });
      // Pages come newest first.
      for (const raw of page.toReversed())
        yield reader.read(await members.complete(raw, channel), channel);
      last = page[0]?.id ?? last;
      if (page.length < MESSAGES_PAGE) return;
    }
  };
