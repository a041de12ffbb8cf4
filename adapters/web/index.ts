import { z } from 'zod';
import { isLoopback, port } from '../../src/config.ts';
import { defineAdapter } from '../../src/adapter.ts';
import { createWebAdapter } from './adapter.ts';
import { parseRanges } from './access.ts';

const config = z
  .object({
    HOST: z.string().default('127.0.0.1').describe('Address to serve the page on.'),
    PORT: port.default(8080).describe('Port to serve the page on. 0 takes a free one.'),
    WEB_TOKEN: z
      .string()
      .min(16, 'must have at least 16 characters')
      .optional()
      .describe('Access token of the page. Required when HOST can be reached from other machines.'),
    TRUSTED_PROXIES: z
      .string()
      .default('')
      .transform((typed, ctx) => {
        const ranges = parseRanges(typed);
        if (ranges) return ranges;
        ctx.addIssue('must be IP addresses or ranges such as 10.0.0.0/8, separated by commas');
        return z.NEVER;
      })
      .describe(
        'Addresses and ranges of proxies in front of the page, separated by commas. Only their word on a client’s address is believed.',
      ),
    CLIENT_ADDRESS_HEADER: z
      .string()
      .regex(/^[\w-]+$/, 'must be the name of a header, such as Fly-Client-IP')
      .default('X-Forwarded-For')
      .describe(
        'Header in which these proxies give the client’s address, such as Fly-Client-IP. Others are not read.',
      ),
    MAX_UPLOAD_BYTES: z.coerce
      .number({ error: 'must be a number of bytes' })
      .int('must be a whole number')
      .min(1, 'must be 1 or more')
      .default(100 * 1_048_576)
      .describe('Largest upload, in bytes.'),
  })
  .refine(({ HOST, WEB_TOKEN }) => WEB_TOKEN !== undefined || isLoopback(HOST ?? '127.0.0.1'), {
    path: ['WEB_TOKEN'],
    error: 'must be set to a secret of 16 characters or more, for others can reach HOST',
    // Also when other variables are wrong, so that every mistake is told at once.
    when: () => true,
  });

export default defineAdapter({
  name: 'web',
  config,
  create: async (values, core) =>
    createWebAdapter(
      {
        host: values.HOST,
        port: values.PORT,
        token: values.WEB_TOKEN,
        trustedProxies: values.TRUSTED_PROXIES,
        clientAddressHeader: values.CLIENT_ADDRESS_HEADER,
        maxUploadBytes: values.MAX_UPLOAD_BYTES,
      },
      core,
    ),
});
