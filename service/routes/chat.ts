import { PATHS } from '../../src/api/contract.ts';
import { readChunks, type BodyLimit } from '../body.ts';
import { readChatBody } from '../chat-body.ts';
import { watched, withFailOver } from '../fail-over.ts';
import { holding, primed, streamReply } from '../respond.ts';
import type { Route } from '../route.ts';

/** Largest body: long conversations and small pictures; parsing more would delay other requests. */
const BODY_LIMIT: BodyLimit = { bytes: 2 * 1024 * 1024, named: 'ErrRequestTooLarge' };

/** Route of contract section 4.1: OpenAI-compatible, forwarded unchanged. */
export const chat: Route = {
  method: 'POST',
  path: PATHS.chat,
  stage: 'llm',
  timeoutMs: 600_000,
  handle: async ({ request, engines, key, log, signal, cutOff }) => {
    const input = await readChatBody(readChunks(request, BODY_LIMIT, signal));
    const offers = await engines.offers('chat');
    if (offers.length === 0) throw engines.missing({ ability: 'chat' });
    let mediaType = 'application/json';
    const body = await withFailOver(
      offers,
      async (offer, either) => {
        const permit = await offer.limiter.acquire(either, key);
        const answer = (async function* () {
          const reply = await offer.engine.complete(input, either);
          ({ mediaType } = reply);
          yield* reply.body;
        })();
        return primed(holding(permit, watched(offer, answer, signal)));
      },
      { ability: 'chat', log, signal },
    );
    return streamReply(
      body,
      { 'content-type': mediaType, 'cache-control': 'no-cache' },
      { log, signal, cutOff },
    );
  },
};
