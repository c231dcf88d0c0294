// #region calls
import { GongConnector } from 'agent-connectors/gong';
import { save } from 'agent-connectors/node';

const folder = process.env.DOWNLOADS ?? '.';

const gong = new GongConnector({
  credentials: {
    access_key: process.env.GONG_ACCESS_KEY ?? '',
    access_key_secret: process.env.GONG_ACCESS_KEY_SECRET ?? '',
    base_url: process.env.GONG_BASE_URL ?? 'https://api.gong.io', // yours is on the API page in Gong's settings
  },
});

const { data: calls, meta } = await gong.calls.list({ fromDateTime: '2026-06-01' });
console.log(`${calls.length} calls, ${meta.private_dropped} private calls omitted`);

const recording = await gong.call_audio.download({
  filter: { callIds: [calls[0]!.id] },
  contentSelector: { exposedFields: { media: true } },
});
await save(recording, `${folder}/call.mp3`);
// #endregion
