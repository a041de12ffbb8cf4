import { PATHS } from '../../src/api/contract.ts';
import { readChunks, type BodyLimit } from '../body.ts';
import { metered } from '../metered.ts';
import { readChatBody } from '../chat-body.ts';
import { createChatUsage, type ChatUsage } from '../chat-usage.ts';
import { watched, withFailOver } from '../fail-over.ts';
import { holding, primed, streamReply } from '../respond.ts';
import type { Route } from '../route.ts';
import type { createUploadLimiter } from '../upload-limiter.ts';

/** Largest body: a long conversation with some 6 MB of pictures. */
const BODY_LIMIT: BodyLimit = { bytes: 8 * 1024 * 1024, named: 'ErrRequestTooLarge' };

/** Creates the route of contract section 4.1: OpenAI-compatible, forwarded unchanged. */
export const createChatRoute = (uploads: ReturnType<typeof createUploadLimiter>): Route => ({
  method: 'POST',
  path: PATHS.chat,
  access: 'chat',
  stage: 'llm',
  timeoutMs: 600_000,
  handle: async ({ request, engines, account, log, signal, cutOff }) => {
    using upload = uploads.open();
    const body = readChunks(request, BODY_LIMIT, signal);
    const input = await upload.receive(body, readChatBody, signal);
    const offers = await engines.offers('chat');
    if (offers.length === 0) throw engines.missing({ ability: 'chat' });
    let mediaType = 'application/json';
    const reply = await withFailOver(
      offers,
      async (offer, either) => {
        const permit = await offer.limiter.acquire(either, account.name);
        let usage: ChatUsage | undefined;
        const answer = (async function* () {
          const answered = await offer.engine.complete(input, either);
          ({ mediaType } = answered);
          if (account.isMetered) usage = createChatUsage(mediaType, input.wordBytes());
          for await (const bytes of answered.body) {
            usage?.push(bytes);
            yield bytes;
          }
        })();
        const charge = (): void =>
          account.charge({ ability: 'chat', engine: offer.name, amount: usage?.tokens() ?? 0 });
        return primed(holding(permit, metered(watched(offer, answer, signal), charge, signal)));
      },
      { ability: 'chat', log, signal },
    );
    return streamReply(
      reply,
      { 'content-type': mediaType, 'cache-control': 'no-cache' },
      { log, signal, cutOff },
    );
  },
});
