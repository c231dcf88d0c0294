'use client';
import { useConnectReturn } from 'agent-connectors-react';

export default function Connected() {
  useConnectReturn((error) => location.replace(error ? '/?failed' : '/'));
  return <p>Finishing…</p>;
}
