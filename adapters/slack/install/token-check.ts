import { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { clientOptions } from '../api.ts';
import { fromSlack, isTokenEnded } from '../errors.ts';
import { readCursorPages, responseMetadata } from '../pagination.ts';

/** True while Slack accepts a token. Rejects with an `AppError` where Slack did not say. */
export const isTokenAccepted = async (url: string | undefined, token: string): Promise<boolean> => {
  try {
    await new WebClient(token, clientOptions(url)).auth.test();
    return true;
  } catch (thrown) {
    const fault = fromSlack(thrown, 'auth.test');
    if (isTokenEnded(fault)) return false;
    throw fault;
  }
};

const teamsPage = z.object({
  teams: z.array(z.object({ id: z.string() })),
  response_metadata: responseMetadata,
});

/** Lists the ids of the workspaces that an organisation's token may be used in. */
export const readWorkspaces = async (
  url: string | undefined,
  token: string,
): Promise<readonly string[]> => {
  const client = new WebClient(token, clientOptions(url));
  const ids: string[] = [];
  try {
    const pages = readCursorPages(async (at) => teamsPage.parse(await client.auth.teams.list(at)));
    for await (const { teams } of pages) ids.push(...teams.map(({ id }) => id));
    return ids;
  } catch (thrown) {
    throw fromSlack(thrown, 'auth.teams.list');
  }
};
