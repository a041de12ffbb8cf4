import { z } from 'zod';
import { parseConfig, readEnvFile } from '../src/config.ts';
import { AppError } from '../src/errors.ts';
import { createLog, logLevel } from '../src/log.ts';
import { runProgram } from '../src/program.ts';
import { tracingSection } from '../src/tracing/config.ts';
import { openTracing } from '../src/tracing/open-telemetry.ts';
import { engineSection, serverSection } from './config.ts';
import { startService } from './index.ts';
import { engineNames } from './engine-loader.ts';
import { runKeyCommand } from './keys/cli.ts';
import { makeKey } from './keys/key.ts';
import { loadPrices } from './keys/prices.ts';
import { runModelCommand } from './models/cli.ts';
import { engineTable } from './engine-report.ts';

runProgram(async (stopped) => {
  const config = parseConfig(
    { ...readEnvFile('.env'), ...process.env },
    {
      server: serverSection,
      engines: engineSection,
      log: z.object({ LOG_LEVEL: logLevel }),
      tracing: tracingSection,
    },
  );
  const words = process.argv.slice(2);
  if (await runModelCommand(words, config.engines, stopped)) return;
  const { server } = config;
  if (await runKeyCommand(words, server.SERVICE_DATABASE)) return;
  if (words.length > 0)
    throw new AppError(
      'bad-input',
      `"${words[0]}" is no command. Say keys, models or setup, or nothing to start the service`,
    );
  const log = createLog(config.log.LOG_LEVEL);
  await using tracing = await openTracing(config.tracing, log);
  const given = server.SERVICE_KEYS ?? [];
  const keys = given.length > 0 ? given : [makeKey()];
  const service = await startService({
    host: server.SERVICE_HOST,
    port: server.SERVICE_PORT,
    keys,
    stored: {
      database: server.SERVICE_DATABASE,
      prices: await loadPrices(server.SERVICE_PRICES, await engineNames()),
    },
    rates: { all: server.SERVICE_KEY_RATE, asr: server.SERVICE_ASR_RATE },
    engines: config.engines,
    log,
    tracing,
    browserOrigins: config.server.SERVICE_BROWSER_ORIGINS ?? [],
  });
  console.log(`Speech, translation and chat at ${service.url}`);
  if (given.length === 0)
    console.log(`Key for this run: ${keys[0]}  (set SERVICE_KEYS to keep your own)`);
  console.log(engineTable(await service.engines()));
  await stopped;
  await service.close();
});
