package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	generated "example.com/client/generated"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	var settings struct{ Url, ClientId, ClientSecret, ConnectorId string }
	if err := json.Unmarshal([]byte(os.Getenv("SETTINGS")), &settings); err != nil {
		panic(err)
	}
	configuration := generated.NewConfiguration()
	configuration.Servers = generated.ServerConfigurations{{URL: settings.Url}}
	api := generated.NewAPIClient(configuration).DefaultAPI
	credentials := generated.NewCreateTokenRequest(settings.ClientId, settings.ClientSecret)
	token, _, err := api.CreateToken(context.Background()).CreateTokenRequest(*credentials).Execute()
	signedIn := context.WithValue(context.Background(), generated.ContextAccessToken, must(token, err).AccessToken)
	call := func(action string, params map[string]interface{}) (*generated.Execute200Response, error) {
		request := generated.NewExecuteRequest("issues", action)
		request.SetParams(params)
		response, _, err := api.Execute(signedIn, settings.ConnectorId).ExecuteRequest(*request).Execute()
		return response, err
	}
	listed := must(call("list", map[string]interface{}{"first": 3}))
	_, refusal := call("create", map[string]interface{}{"title": "Sign-in fails"})
	var refused *generated.GenericOpenAPIError
	if !errors.As(refusal, &refused) {
		panic(refusal)
	}
	failure := refused.Model().(generated.Error)
	prompt := generated.NewSearchWorkspaceRequest("sign-in")
	found, _, err := api.SearchWorkspace(signedIn, "main").SearchWorkspaceRequest(*prompt).Execute()
	cursor := must(found, err).Meta.Cursor.Get()
	received := map[string]interface{}{
		"count":   len(listed.Execute200ResponseAnyOf.Result.([]interface{})),
		"message": failure.Errors[0].Message,
		"cursor":  cursor,
	}
	fmt.Println(string(must(json.Marshal(received))))
}
