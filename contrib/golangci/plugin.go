// SPDX-License-Identifier: Apache-2.0

// Package golangci makes the check of clients a linter of golangci-lint, by its module plugins. It is a module of its own, so
// that the plugin's interface is no dependency of the project.
//
// A file .custom-gcl.yml says what 'golangci-lint custom' builds:
//
//	version: v2.1.6
//	plugins:
//	  - module: github.com/interlock-go/interlock/contrib/golangci
//	    version: latest
//
// and .golangci.yml turns the linter on:
//
//	version: "2"
//	linters:
//	  enable: [interlock]
//	  settings:
//	    custom:
//	      interlock:
//	        type: module
//	        settings:
//	          interfaces: [protocols]
//	          may: false
package golangci

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/interlock-go/interlock/analyzer"
)

// The plugin's interface leaves no other place to register than init.
func init() { register.Plugin("interlock", newPlugin) }

// settings are what .golangci.yml may say.
type settings struct {
	Interfaces []string `json:"interfaces"`
	May        bool     `json:"may"`
}

type plugin struct{ settings settings }

func newPlugin(conf any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[settings](conf)
	return plugin{s}, err
}

// BuildAnalyzers returns the analyzer with the settings.
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	a := analyzer.New(nil)
	if err := a.Flags.Set("interfaces", strings.Join(p.settings.Interfaces, string(filepath.ListSeparator))); err != nil {
		return nil, err
	}
	return []*analysis.Analyzer{a}, a.Flags.Set("may", strconv.FormatBool(p.settings.May))
}

// GetLoadMode says that the analyzer needs types.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
