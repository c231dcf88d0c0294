'use client';
import { connectForm } from 'agent-connectors/connect';
import { ConnectButton, useConnections } from 'agent-connectors-react';
import { useState } from 'react';

export function Accounts({ user }) {
  const { connections, begin, finish, disconnect } = useConnections();
  const [message, setMessage] = useState('');
  const connectGranola = async (form) => {
    const granola = await connectForm(begin({ type: 'granola' }));
    const result = await granola.submit('api_key', { api_key: form.get('key') });
    if (result.status === 'invalid') return setMessage(result.errors[0].message);
    await finish(result.address);
    setMessage('connected');
  };
  return (
    <main>
      <h1>{user}’s accounts</h1>
      {connections.map(({ id, name }) => (
        <button key={id} type="button" onClick={() => disconnect(id)}>
          Disconnect {name}
        </button>
      ))}
      <ConnectButton type="linear" onEvent={({ type }) => setMessage(type)}>
        Connect Linear
      </ConnectButton>
      <form action={connectGranola}>
        <input name="key" type="password" aria-label="Granola API key" required />
        <button type="submit">Connect Granola</button>
      </form>
      <p role="status">{message}</p>
    </main>
  );
}
